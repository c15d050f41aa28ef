import { expect, test } from 'vitest';
import { CADDY, directivesProblem, NGINX } from './directives.js';

const elsewhere = { listen: 'say port', bind: 'say public' };

test.each([
  ['location / {\n  return 200 "it\'s {";\n}\n'],
  ['# listen 80 {\nadd_header X-Of ${host}; location ~ "\\.(gif|png){1}$" { expires 1d; }'],
  ['return 200 listen;\nlocation /a { } # }'],
  ["return 200 it's;"],
  [''],
])('nginx may have %j', (text) => expect(directivesProblem({ text }, NGINX, elsewhere)).toBeUndefined());

test.each([
  ['header X-Of {host}\nredir /a https://{host}{uri}\nhandle /b {\n\trespond `{`\n}\n'],
  ['respond "bind {" # {\n'],
  ['header +bind x'],
])('caddy may have %j', (text) => expect(directivesProblem({ text }, CADDY, elsewhere)).toBeUndefined());

test.each([
  ['root /a;\n}\nserver {\n', NGINX],
  ['location / {', NGINX],
  ['return 200 "a;', NGINX],
  ['respond `a', CADDY],
  ['}\n:9000 {\n', CADDY],
])('%j ends too early or too late', (text, language) =>
  expect(directivesProblem({ text }, language, elsewhere)).toBe('its braces and quotes are not in pairs'),
);

test.each([
  ['root /a;listen 9000;', NGINX, 'listen'],
  ['# a\n  listen 9000;', NGINX, 'listen'],
  ['location / { }listen 9000;', NGINX, 'listen'],
  ['header a b\nbind 0.0.0.0', CADDY, 'bind'],
])('%j says what follows from another key', (text, language, word) =>
  expect(directivesProblem({ text }, language, elsewhere)).toContain(`"${word}" does not stand here: say `),
);

test('what is no text is refused', () =>
  expect(directivesProblem({ base64: 'AAEC' }, NGINX, elsewhere)).toBe('directives are a text of UTF-8'));
