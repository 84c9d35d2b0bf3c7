// SPDX-License-Identifier: LGPL-2.1-or-later
/* The native half of the Java class sgi.pcp.trace. */
#include <errno.h>

#include <jni.h>

#include <pcp/trace.h>

#include "sgi_pcp_trace.h"

/* Return a tag as a C string, to be released with give_back(); NULL for a null string. */
static const char *take(JNIEnv *env, jstring tag)
{
	return tag ? (*env)->GetStringUTFChars(env, tag, NULL) : NULL;
}

static void give_back(JNIEnv *env, jstring tag, const char *bytes)
{
	if (bytes)
		(*env)->ReleaseStringUTFChars(env, tag, bytes);
}

static jint with_tag(JNIEnv *env, jstring tag, int (*call)(const char *))
{
	const char *bytes = take(env, tag);
	jint result;

	/* Java is out of memory and has thrown an exception. */
	if (tag && !bytes)
		return -ENOMEM;
	result = call(bytes);
	give_back(env, tag, bytes);
	return result;
}

static jint with_value(JNIEnv *env, jstring tag, jdouble value, int (*call)(const char *, double))
{
	const char *bytes = take(env, tag);
	jint result;

	if (tag && !bytes)
		return -ENOMEM;
	result = call(bytes, value);
	give_back(env, tag, bytes);
	return result;
}

JNIEXPORT jint JNICALL Java_sgi_pcp_trace_pmtracebegin(JNIEnv *env, jclass class, jstring tag)
{
	(void)class;
	return with_tag(env, tag, pmtracebegin);
}

JNIEXPORT jint JNICALL Java_sgi_pcp_trace_pmtraceend(JNIEnv *env, jclass class, jstring tag)
{
	(void)class;
	return with_tag(env, tag, pmtraceend);
}

JNIEXPORT jint JNICALL Java_sgi_pcp_trace_pmtraceabort(JNIEnv *env, jclass class, jstring tag)
{
	(void)class;
	return with_tag(env, tag, pmtraceabort);
}

JNIEXPORT jint JNICALL Java_sgi_pcp_trace_pmtracepoint(JNIEnv *env, jclass class, jstring tag)
{
	(void)class;
	return with_tag(env, tag, pmtracepoint);
}

JNIEXPORT jint JNICALL Java_sgi_pcp_trace_pmtraceobs(JNIEnv *env, jclass class, jstring tag,
						     jdouble value)
{
	(void)class;
	return with_value(env, tag, value, pmtraceobs);
}

JNIEXPORT jint JNICALL Java_sgi_pcp_trace_pmtracecounter(JNIEnv *env, jclass class, jstring tag,
							 jdouble value)
{
	(void)class;
	return with_value(env, tag, value, pmtracecounter);
}

JNIEXPORT jstring JNICALL Java_sgi_pcp_trace_pmtraceerrstr(JNIEnv *env, jclass class, jint code)
{
	(void)class;
	return (*env)->NewStringUTF(env, pmtraceerrstr(code));
}

JNIEXPORT jint JNICALL Java_sgi_pcp_trace_pmtracestate(JNIEnv *env, jclass class, jint flags)
{
	(void)env;
	(void)class;
	return pmtracestate(flags);
}
