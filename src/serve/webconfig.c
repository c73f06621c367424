// SPDX-License-Identifier: GPL-2.0
/* Reads the file with libyaml and asks libcrypt about passwords. Paths in it are relative to it. */
#include "serve/webconfig.h"

#include <crypt.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/cleanup.h"
#include "base/log.h"

#define FILE_MOST (1u << 20)
#define TRY_NS	  500000000ull /* between two passwords that are not known yet */

struct reading {
	struct webconfig *w;
	const char *path;
	yaml_document_t *doc;
	char *cert_file, *key_file, *ca_file, *auth_type;
};

/* What a key's value is for. */
typedef int take_value(struct reading *r, const char *key, yaml_node_t *value);

struct known_key {
	const char *name;
	take_value *take;
};

static int refuse(const struct reading *r, const char *key, const char *why)
{
	log_error("--web-config %s: '%s': %s", r->path, key, why);
	return EXIT_USAGE;
}

static const char *text_of(const yaml_node_t *n)
{
	return n && n->type == YAML_SCALAR_NODE ? (const char *)n->data.scalar.value : NULL;
}

static int out_of_memory(void)
{
	log_error("out of memory");
	return EXIT_FAILED;
}

/* --- values ----------------------------------------------------------------------- */

static int keep(struct reading *r, const char *key, yaml_node_t *value, char **to)
{
	const char *text = text_of(value);

	if (!text || !*text)
		return refuse(r, key, "not a text");
	free(*to);
	*to = strdup(text);
	return *to ? EXIT_OK : out_of_memory();
}

static int take_cert(struct reading *r, const char *key, yaml_node_t *value)
{
	return keep(r, key, value, &r->cert_file);
}

static int take_key(struct reading *r, const char *key, yaml_node_t *value)
{
	return keep(r, key, value, &r->key_file);
}

static int take_ca(struct reading *r, const char *key, yaml_node_t *value)
{
	return keep(r, key, value, &r->ca_file);
}

static int take_auth_type(struct reading *r, const char *key, yaml_node_t *value)
{
	return keep(r, key, value, &r->auth_type);
}

static int take_version(struct reading *r, const char *key, yaml_node_t *value)
{
	const char *text = text_of(value);

	if (!text || (strcmp(text, "TLS12") && strcmp(text, "TLS13")))
		return refuse(r, key, "neither TLS12 nor TLS13");
	r->w->tls13 = !strcmp(text, "TLS13");
	return EXIT_OK;
}

static int add_user(struct reading *r, const char *name, const char *hash)
{
	struct webconfig *w = r->w;
	struct web_user *users = realloc(w->users, (w->n_users + 1) * sizeof(*users));

	if (!users)
		return out_of_memory();
	w->users = users;
	users[w->n_users] = (struct web_user){strdup(name), strdup(hash)};
	w->n_users++;
	return users[w->n_users - 1].name && users[w->n_users - 1].hash ? EXIT_OK : out_of_memory();
}

static int take_users(struct reading *r, const char *key, yaml_node_t *value)
{
	int status = EXIT_OK;

	if (value->type != YAML_MAPPING_NODE)
		return refuse(r, key, "not a mapping of users to bcrypt hashes");
	for (yaml_node_pair_t *p = value->data.mapping.pairs.start;
	     status == EXIT_OK && p < value->data.mapping.pairs.top; p++) {
		const char *name = text_of(yaml_document_get_node(r->doc, p->key));
		const char *hash = text_of(yaml_document_get_node(r->doc, p->value));

		if (!name || !*name || strchr(name, ':') || !hash || strncmp(hash, "$2", 2))
			return refuse(r, key, "a user has no name or no bcrypt hash ($2y$...)");
		status = add_user(r, name, hash);
	}
	return status;
}

/* --- mappings --------------------------------------------------------------------- */

static int take_pair(struct reading *r, const struct known_key *keys, yaml_node_pair_t *p)
{
	const char *key = text_of(yaml_document_get_node(r->doc, p->key));

	for (; key && keys->name; keys++)
		if (!strcmp(keys->name, key))
			return keys->take(r, key, yaml_document_get_node(r->doc, p->value));
	return refuse(r, key ? key : "?", "not supported");
}

static int take_mapping(struct reading *r, const char *key, const struct known_key *keys,
			yaml_node_t *n)
{
	int status = EXIT_OK;

	if (n->type != YAML_MAPPING_NODE)
		return refuse(r, key, "not a mapping");
	for (yaml_node_pair_t *p = n->data.mapping.pairs.start;
	     status == EXIT_OK && p < n->data.mapping.pairs.top; p++)
		status = take_pair(r, keys, p);
	return status;
}

static int take_tls(struct reading *r, const char *key, yaml_node_t *value)
{
	static const struct known_key keys[] = {
		{"cert_file", take_cert},	   {"key_file", take_key},
		{"client_ca_file", take_ca},	   {"client_auth_type", take_auth_type},
		{"min_version", take_version}, {NULL, NULL},
	};

	return take_mapping(r, key, keys, value);
}

/* --- files ------------------------------------------------------------------------ */

/* Seen from the configuration's folder. */
static FILE *open_beside(const char *path, const char *file)
{
	const char *slash = strrchr(path, '/');
	char full[4096];

	if (*file == '/' || !slash)
		return fopen(file, "re");
	snprintf(full, sizeof(full), "%.*s%s", (int)(slash + 1 - path), path, file);
	return fopen(full, "re");
}

static int read_file(const struct reading *r, const char *key, const char *file, char **out)
{
	AUTO_FILE FILE *f = open_beside(r->path, file);
	size_t len;

	if (!f) {
		log_error("--web-config %s: '%s': cannot read %s: %s", r->path, key, file,
			  strerror(errno));
		return EXIT_FAILED;
	}
	*out = calloc(1, FILE_MOST + 1);
	if (!*out)
		return out_of_memory();
	len = fread(*out, 1, FILE_MOST + 1, f);
	return len && len <= FILE_MOST && !ferror(f) ? EXIT_OK : refuse(r, key, "empty or too large");
}

static int read_tls(struct reading *r)
{
	int status;

	if (!r->cert_file && !r->key_file && !r->ca_file && !r->auth_type)
		return EXIT_OK;
	if (!r->cert_file || !r->key_file)
		return refuse(r, "tls_server_config", "needs both cert_file and key_file");
	if (r->auth_type && strcmp(r->auth_type, "NoClientCert") &&
	    strcmp(r->auth_type, "RequireAndVerifyClientCert"))
		return refuse(r, "client_auth_type",
			      "neither NoClientCert nor RequireAndVerifyClientCert");
	if (!r->ca_file != (!r->auth_type || !strcmp(r->auth_type, "NoClientCert")))
		return refuse(r, "client_auth_type",
			      "RequireAndVerifyClientCert and client_ca_file go together");
	status = read_file(r, "cert_file", r->cert_file, &r->w->certificate);
	status = status ?: read_file(r, "key_file", r->key_file, &r->w->key);
	if (status == EXIT_OK && r->ca_file)
		status = read_file(r, "client_ca_file", r->ca_file, &r->w->client_ca);
	return status;
}

static int read_document(struct reading *r)
{
	static const struct known_key keys[] = {
		{"tls_server_config", take_tls}, {"basic_auth_users", take_users}, {NULL, NULL}};
	yaml_node_t *root = yaml_document_get_root_node(r->doc);
	int status = root ? take_mapping(r, "the file", keys, root) : EXIT_OK;

	status = status ?: read_tls(r);
	free(r->cert_file);
	free(r->key_file);
	free(r->ca_file);
	free(r->auth_type);
	return status;
}

static int parse(struct webconfig *w, const char *path, FILE *f)
{
	yaml_document_t doc;
	struct reading r = {.w = w, .path = path, .doc = &doc};
	yaml_parser_t parser;
	int status;

	if (!yaml_parser_initialize(&parser))
		return out_of_memory();
	yaml_parser_set_input_file(&parser, f);
	if (yaml_parser_load(&parser, &doc)) {
		status = read_document(&r);
		yaml_document_delete(&doc);
	} else {
		log_error("--web-config %s: line %zu: %s", path, parser.problem_mark.line + 1,
			  parser.problem ? parser.problem : "not YAML");
		status = EXIT_USAGE;
	}
	yaml_parser_delete(&parser);
	return status;
}

int webconfig_read(struct webconfig *w, const char *path)
{
	AUTO_FILE FILE *f = path ? fopen(path, "re") : NULL;

	*w = (struct webconfig){0};
	if (!path)
		return EXIT_OK;
	if (f)
		return parse(w, path, f);
	log_error("--web-config %s: %s", path, strerror(errno));
	return EXIT_USAGE;
}

static void forget(char *secret)
{
	if (secret)
		explicit_bzero(secret, strlen(secret));
	free(secret);
}

void webconfig_free(struct webconfig *w)
{
	for (size_t i = 0; i < w->n_users; i++) {
		free(w->users[i].name);
		free(w->users[i].hash);
	}
	free(w->users);
	free(w->certificate);
	free(w->client_ca);
	forget(w->key);
	forget(w->known);
	*w = (struct webconfig){0};
}

/* --- passwords -------------------------------------------------------------------- */

/* In a time that does not tell where they differ. */
static bool same(const char *a, const char *b)
{
	size_t n = strlen(a);
	unsigned char differ = n != strlen(b);

	for (size_t i = 0; !differ && i < n; i++)
		differ |= a[i] ^ b[i];
	return !differ;
}

static bool fits(const char *hash, const char *password)
{
	struct crypt_data *room = calloc(1, sizeof(*room));
	const char *made = room ? crypt_r(password, hash, room) : NULL;
	bool right = made && *made != '*' && same(made, hash);

	if (room)
		explicit_bzero(room, sizeof(*room));
	free(room);
	return right;
}

/* One that does not exist costs the same as a wrong password. */
static bool is_user(const struct webconfig *w, const char *name, const char *password)
{
	const struct web_user *user = NULL;

	for (size_t i = 0; i < w->n_users; i++)
		if (!strcmp(w->users[i].name, name))
			user = &w->users[i];
	return fits(user ? user->hash : w->users[0].hash, password) && user;
}

enum web_answer webconfig_ask(struct webconfig *w, const char *name, const char *password,
			      uint64_t now_ns)
{
	char *both = NULL;
	enum web_answer answer = WEB_REFUSED;

	if (!w->n_users)
		return WEB_WELCOME;
	if (!name || !password || asprintf(&both, "%s:%s", name, password) < 0)
		return WEB_REFUSED;
	if (w->known && same(w->known, both)) {
		answer = WEB_WELCOME;
	} else if (now_ns < w->next_try_ns) {
		answer = WEB_LATER;
	} else if (is_user(w, name, password)) {
		forget(w->known);
		w->known = both;
		return WEB_WELCOME;
	} else {
		w->next_try_ns = now_ns + TRY_NS;
	}
	forget(both);
	return answer;
}
