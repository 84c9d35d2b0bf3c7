// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Load name spaces from files, with valid and invalid contents, instead of an archive's own names.
 */
#include "pcp_fixture.h"

/* Load a name space from a file with this text, without printing messages. */
static int load(const char *base, const char *text, int dups)
{
	char path[300];
	FILE *f;
	int err;

	snprintf(path, sizeof(path), "%s.pmns", base);
	f = fopen(path, "w");
	fputs(text, f);
	fclose(f);
	setenv("PCP_STDERR", "/dev/null", 1);
	err = dups < 0 ? pmLoadNameSpace(path) : pmLoadASCIINameSpace(path, dups);
	unlink(path);
	return err;
}

static void nothing(const char *name)
{
	(void)name;
}

TEST_F(archive, names_of_a_file)
{
	const char *names[] = { "our.name", "v.cu32" };
	char *name;
	pmID pmids[2];

	ASSERT_EQ(load(self->base, "root { our }\nour { name 60:0:1 /* cu32 */ other 1:2:3 }", -1), 0);
	EXPECT_EQ(pmGetPMNSLocation(), PMNS_LOCAL);
	EXPECT_EQ(pmLookupName(2, names, pmids), 1);
	EXPECT_EQ(pmids[0], pmID_build(60, 0, 1));
	ASSERT_EQ(pmNameID(pmids[0], &name), 0);
	EXPECT_STREQ(name, "our.name");
	free(name);
	EXPECT_EQ(load(self->base, "root { a 1:2:3 }", -1), PM_ERR_DUPPMNS);
	EXPECT_EQ(pmTraversePMNS("our", nothing), 2);
	EXPECT_EQ(pmTrimNameSpace(), 0);
	EXPECT_EQ(pmTraversePMNS("our", nothing), 1);
	pmUnloadNameSpace();
	EXPECT_EQ(pmGetPMNSLocation(), PMNS_ARCHIVE);
	EXPECT_EQ(pmLookupName(2, names, pmids), 1);
	EXPECT_EQ(pmids[1], AF_PMID(CU32));
}

static void append(const char *name, void *all)
{
	strcat(strcat(all, " "), name);
}

/* A traversal visits derived metrics in their groups, including one that is also a group. */
TEST_F(archive, derived_metrics_in_their_places)
{
	char all[256] = "", **names = NULL;

	EXPECT_EQ(NULL, pmRegisterDerived("v.cu32.twice", "v.cu32 * 2"));
	EXPECT_EQ(NULL, pmRegisterDerived("our.more", "1 + 1"));
	EXPECT_EQ(NULL, pmRegisterDerived("v.cu32.thrice", "v.cu32 * 3"));
	ASSERT_EQ(load(self->base, "root { v our }\nv { a 1:2:3 cu32 60:0:1 z 1:2:4 }\nour { x 1:2:5 }", -1), 0);
	EXPECT_EQ(7, pmTraversePMNS_r("", append, all) - 2);	/* two of them are event.* */
	*strstr(all, " event.flags") = '\0';
	EXPECT_STREQ(" v.a v.cu32 v.cu32.twice v.cu32.thrice v.z our.x our.more", all);
	EXPECT_EQ(2, pmGetChildren("v.cu32", &names));
	free(names);
	pmUnloadNameSpace();
	/* The archive's own names are included. */
	EXPECT_EQ(3, pmTraversePMNS("v.cu32", nothing));
	EXPECT_EQ(2, pmGetChildren("v.cu32", &names));
	free(names);
}

TEST_F(archive, what_is_no_name_space)
{
	static const char *const texts[] = {
		"", "rot { a 1:2:3 }", "root { a }", "root { a 1:2:3 } b { c 1:2:4 }",
		"root { a 1:2:3 a 1:2:4 }", "root { a } a { b 1:2:3 } a { c 1:2:4 }", "root a 1:2:3 }",
		"root { 1:2:3 }", "root { a 1:2 }", "root { a 511:2:3 }", "root { a 1:4096:3 }",
		"root { a 1:2:1024 }", "root { a 1:2:3x }", "root { a 1:2:*}", "root { a- 1:2:3 }",
		"root { a 99999999999:1:1 }", "root { { a 1:2:3 } }", "root { a 1:2:3 } }",
		"#ifdef X\nroot { a 1:2:3 }\n", "#endif\nroot { a 1:2:3 }\n", "#if 1\n#endif\nroot { a 1:2:3 }",
		"#include \"\"\nroot { a 1:2:3 }", "/* root { a 1:2:3 }", "#define\nroot { a 1:2:3 }",
	};
	pmID pmid;
	const char *name = "v.cu32";

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		EXPECT_EQ(load(self->base, texts[i], -1), PM_ERR_PMNS) {
			TH_LOG("%s", texts[i]);
		}
		EXPECT_EQ(pmLookupName(1, &name, &pmid), PM_ERR_NOPMNS);
		pmUnloadNameSpace();
	}
	EXPECT_EQ(pmLookupName(1, &name, &pmid), 1);
}

TEST_F(archive, twins)
{
	static const char text[] = "root { a 1:2:3 b 1:2:3 }";
	char **names;

	EXPECT_EQ(load(self->base, text, 0), PM_ERR_PMNS);
	pmUnloadNameSpace();
	ASSERT_EQ(load(self->base, text, 1), 0);
	ASSERT_EQ(pmNameAll(pmID_build(1, 2, 3), &names), 2);
	EXPECT_STREQ(names[0], "b");
	EXPECT_STREQ(names[1], "a");
	free(names);
}

TEST_F(archive, directives)
{
	static const char text[] =
		"#define D 60\n#define X\n#ifdef X\n#ifndef X\nroot { no 1:2:3\n#else\nroot { yes D:0:7\n"
		"#endif\n#else\n#include \"nothing\"\n#endif\n#undef X\n#ifdef X\n oh\n#endif\n}\n";
	const char *name = "yes";
	pmID pmid;

	ASSERT_EQ(load(self->base, text, 0), 0);
	EXPECT_EQ(pmLookupName(1, &name, &pmid), 1);
	EXPECT_EQ(pmid, pmID_build(60, 0, 7));
}

/* A file that includes itself can be loaded. */
TEST_F(archive, a_file_in_itself)
{
	char text[400];

	snprintf(text, sizeof(text), "#include \"%s.pmns\"\nroot { a 1:2:3 }\n", self->base);
	EXPECT_EQ(load(self->base, text, 0), PM_ERR_PMNS);
}

TEST_F(archive, a_file_that_cannot_be_included)
{
	char loop[300], text[400];

	snprintf(loop, sizeof(loop), "%s.loop", self->base);
	snprintf(text, sizeof(text), "#include \"%s\"\nroot { a 1:2:3 }\n", loop);
	setenv("PCP_STDERR", "/dev/null", 1);
	EXPECT_EQ(load(self->base, text, -1), -ENOENT);
	ASSERT_EQ(0, symlink(loop, loop));
	EXPECT_EQ(load(self->base, text, -1), -ELOOP);
	unlink(loop);
}

TEST_F(archive, no_file)
{
	setenv("PCP_STDERR", "/dev/null", 1);
	EXPECT_EQ(pmLoadNameSpace("/no/such/file"), -ENOENT);
	EXPECT_EQ(pmGetPMNSLocation(), PM_ERR_NOPMNS);
	EXPECT_EQ(pmTrimNameSpace(), PM_ERR_NOPMNS);
}

TEST_HARNESS_MAIN
