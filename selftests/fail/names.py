#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Print whether a real parser of each format finds an archive's hostile names; one line each, "yes" or "no"."""
import csv
import html.parser
import io
import json
import os
import re
import subprocess
import sys

vcpc, archive = os.environ['VCPC'], os.environ['ARCHIVE']


csv.field_size_limit(1 << 24)


def run(*args):
    """What the command writes"""
    done = subprocess.run([vcpc, *args], capture_output=True, check=False)
    if done.returncode:
        sys.exit('%s: %d %r' % (args, done.returncode, done.stderr[-200:]))
    try:
        done.stdout.decode('utf-8')
        good = True
    except UnicodeDecodeError:
        good = False
    say(good, '%s: is UTF-8' % ' '.join(args).replace(archive, 'ARCHIVE'))
    text = done.stdout.decode('utf-8', 'replace')
    return text


def say(good, what):
    print('%s\t%s' % ('yes' if good else 'no', what))


def controls(text, allowed='\n'):
    """Characters that a terminal obeys, or that turn text around"""
    return re.findall('[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]', re.sub('[%s]' % allowed, '', text))


class Page(html.parser.HTMLParser):
    """Counts elements, and keeps what is in scripts"""

    def __init__(self):
        super().__init__()
        self.tags, self.attributes, self.scripts, self.inside = {}, set(), [], False

    def handle_starttag(self, tag, attrs):
        self.tags[tag] = self.tags.get(tag, 0) + 1
        self.attributes.update(name for name, _ in attrs)
        if tag == 'script':
            self.inside = True
            self.scripts.append('')

    def handle_endtag(self, tag):
        self.inside = False if tag == 'script' else self.inside

    def handle_data(self, data):
        if self.inside:
            self.scripts[-1] += data


def check_csv():
    text = run('replay', '--csv', archive)
    rows = list(csv.reader(io.StringIO(text, newline='')))
    say(len({len(row) for row in rows}) == 1, 'csv: each line has as many cells as there are columns')
    numbers = re.compile(r'-?[0-9.e+-]+$')
    bad = [c for row in rows for c in row if c[:1] in tuple('=+-@\t\r') and not numbers.match(c)]
    say(not bad, 'csv: no cell is a formula')
    say(not controls(text, '\n\r'), 'csv: no control characters')


def check_json():
    for args in (['replay', '--json', archive], ['compare', '--json', archive, archive]):
        text = run(*args)
        try:
            json.loads(text)
            good = True
        except ValueError:
            good = False
        say(good, '%s: is JSON' % args[0])
        say(not controls(text), '%s --json: no control characters' % args[0])


def check_html():
    """The page, with stacks of 'vcpc why' whose tags, functions and files have such names"""
    stacks = ['%s;outer;%s</script> 5 1' % (name.replace(';', ''), name) for name in NAMES]
    with open('hostile.folded', 'w', encoding='utf-8') as file:
        file.write(''.join(line + '\n' for line in stacks))
    text = run('report', archive, '--folded', 'hostile.folded', '-o', '-')
    page = Page()
    page.feed(text)
    say(not any(a.startswith('on') for a in page.attributes), 'html: no handlers')
    say('img' not in page.tags and page.tags.get('script') == 5 and 'b' not in page.tags,
        'html: no elements out of names')
    data = [s for s in page.scripts if s.lstrip().startswith('{')]
    try:
        good = len(data) == 1 and sorted(json.loads(data[0])['stacks']) == sorted(stacks)
    except ValueError:
        good = False
    say(good, 'html: the data are one JSON object, with the names of all stacks')
    say(len(text) < 2 << 20, 'html: a long name is cut')


def check_text():
    for args in (['dump', '--instances'], ['dump'], ['summary'], ['replay'], ['label'], ['check'],
                 ['replay', '--plot'], ['compare', archive]):
        say(not controls(run(*args, archive)), '%s: no control characters' % ' '.join(args).replace(archive, 'A'))


NAMES = ['\x1b[31m$(touch made)', '=cmd|x', '<b>"a"', 'turned \u202e around', '`touch made`', 'a,b;c']


def check_messages():
    """Names that a user types, or that come from a file's name"""
    for name in NAMES:
        for args in ([name], ['replay', name], ['replay', archive, name], ['stat', '-e', name, 'true'],
                     ['summary', archive, 'demo.set[%s]' % name]):
            done = subprocess.run([vcpc, *args], capture_output=True, check=False)
            text = (done.stdout + done.stderr).decode('utf-8')
            if not done.returncode or controls(text):
                say(False, 'message of %r: %r' % (args, text))
    say(True, 'messages: no control characters')


def check_stat():
    """The name of the command that is counted"""
    for i, name in enumerate(NAMES):
        name = name.replace('/', '')
        os.symlink('/bin/true', name)
        for option in (['-j'], ['-x', ','], []):
            done = subprocess.run([vcpc, 'stat', *option, '-e', 'page-faults', './' + name],
                                  capture_output=True, check=False)
            text = (done.stdout + done.stderr).decode('utf-8')
            good = not done.returncode and not controls(text)
            if option == ['-j']:
                good = good and './' + name in json.loads(done.stderr)['counted']
            say(good, 'stat %s of command %d: no control characters' % (' '.join(option), i))


def check_completion():
    """bash makes words of archives' and metrics' names, and runs none"""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../tools/completion/vcpc.bash')
    ask = '. "$0"; COMP_WORDS=(vcpc "$@") COMP_CWORD=$#; _vcpc; printf "%s\\n" "${COMPREPLY[@]}"'
    os.mkdir('complete')
    for name in NAMES + ['*']:
        with open('complete/%s.meta' % name, 'w', encoding='utf-8'):
            pass
    env = dict(os.environ, PATH=os.path.dirname(vcpc) + ':' + os.environ['PATH'])
    for words in (['report', 'complete/'], ['replay', 'complete/'], ['dump', archive, '']):
        done = subprocess.run(['bash', '-c', ask, script, *words], capture_output=True, check=False, env=env)
        text = done.stdout.decode('utf-8')
        say(text.strip() and not os.path.exists('made'), 'completion of %s: runs nothing' % words[0])
    say(set(text.split()) == {'demo.set', 'demo.text'}, 'completion of dump: the metrics and nothing else')
    done = subprocess.run(['bash', '-c', ask, script, 'report', 'complete/'], capture_output=True, check=False, env=env)
    offered = sorted(done.stdout.decode('utf-8').splitlines())
    say(offered == sorted('complete/' + name for name in NAMES + ['*']), 'completion of report: each archive once')


check_csv()
check_json()
check_html()
check_text()
check_messages()
check_stat()
check_completion()
