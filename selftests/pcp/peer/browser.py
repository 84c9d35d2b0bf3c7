# SPDX-License-Identifier: GPL-2.0-or-later
"""Run chromium without a display, controlled through a pipe by its debugging protocol, with input like
a user's."""
import base64
import json
import os
import select
import subprocess
import time


class Browser:
    """with Browser(program, folder) as b: b.open(path); b.hover(...); b.text(...)"""

    LIMIT = 120     # seconds without an answer after which the browser is considered to hang

    def __init__(self, program, folder):
        to_read, self.write_fd = os.pipe()
        self.read_fd, to_write = os.pipe()

        def place():
            # Duplicate both first, because dup2() could overwrite one of them.
            a, b = os.dup(to_read), os.dup(to_write)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars",
             "--disable-dev-shm-usage", f"--user-data-dir={folder}", "--remote-debugging-pipe", "about:blank"],
            close_fds=False, preexec_fn=place, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.last, self.buffer, self.session, self.events = 0, b"", None, []

    def __enter__(self):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Accessibility", "Network"):
            self.call(domain + ".enable")
        return self

    def __exit__(self, *_):
        os.close(self.write_fd)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.read_fd)

    def message(self, end):
        """Return the browser's next message."""
        while b"\0" not in self.buffer:
            if not select.select([self.read_fd], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("the browser says nothing")
            got = os.read(self.read_fd, 1 << 16)
            if not got:
                raise EOFError("the browser has ended")
            self.buffer += got
        one, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(one)

    def call(self, method, **params):
        self.last += 1
        command = {"id": self.last, "method": method, "params": params}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.write_fd, json.dumps(command).encode() + b"\0")
        end = time.monotonic() + self.LIMIT
        while True:
            said = self.message(end)
            if said.get("id") != self.last:
                self.events.append(said)
            elif "error" in said:
                raise RuntimeError(f"{method}: {said['error']}")
            else:
                return said["result"]

    def wait_for(self, event):
        end = time.monotonic() + self.LIMIT
        while not any(e.get("method") == event for e in self.events):
            self.events.append(self.message(end))

    def open(self, path):
        self.events.clear()
        self.call("Page.navigate", url="file://" + path)
        self.wait_for("Page.loadEventFired")
        self.settle()

    def run(self, expression):
        """Return the value of an expression in the page; if it is a promise, wait for its result."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def settle(self):
        """Wait until the page has been drawn."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 30))))")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def hover(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.settle()

    def drag(self, x0, x1, y):
        self.mouse("mouseMoved", x0, y)
        self.mouse("mousePressed", x0, y, button="left", clickCount=1, buttons=1)
        for part in range(1, 6):
            self.mouse("mouseMoved", x0 + (x1 - x0) * part / 5, y, button="left", buttons=1)
        self.mouse("mouseReleased", x1, y, button="left", clickCount=1)
        self.settle()

    def click(self, x, y, times=1):
        for n in range(1, times + 1):
            self.mouse("mousePressed", x, y, button="left", clickCount=n, buttons=1)
            self.mouse("mouseReleased", x, y, button="left", clickCount=n)
        self.settle()

    def key(self, key, times=1):
        text = {"text": key} if len(key) == 1 else {}
        for _ in range(times):
            self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
            self.call("Input.dispatchKeyEvent", type="keyUp", key=key)
        self.settle()

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
        self.settle()

    def media(self, kind="", **features):
        self.call("Emulation.setEmulatedMedia", media=kind,
                  features=[{"name": k.replace("_", "-"), "value": v} for k, v in features.items()])
        self.settle()

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def complaints(self):
        """Return exceptions, errors on the console, and the page's requests to the network."""
        bad = []
        for event in self.events:
            method, params = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                bad.append(str(params["exceptionDetails"]))
            elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
                bad.append(params["entry"]["text"])
            elif method == "Network.requestWillBeSent" and params["request"]["url"].split(":")[0] not in ("file", "data"):
                bad.append("asks for " + params["request"]["url"])
        return bad
