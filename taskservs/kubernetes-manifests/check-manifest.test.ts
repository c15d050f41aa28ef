import { expect, test } from 'vitest';
import { findFault } from './check-manifest.js';
import { manifestsConfig } from './manifests-config.js';

const WELL = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n';

test.each([
  WELL,
  `# a comment\n---\n${WELL}---\n---\n${WELL}`,
  '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}',
  'apiVersion: v1\nkind: List\nitems: []\n',
  `${WELL}data:\n  a: |\n    text: of: anything @NOT_A_VALUE@ here\n`,
])('%j is a manifest', (text) => expect(findFault(text, [])).toBeUndefined());

test.each([
  ['a: b: c\n', /^line 1: it is not YAML: /],
  [`${WELL}---\nkind: [\n`, /^line [56]: it is not YAML: /],
  [`${WELL}kind: Secret\n`, /^line 4: it is not YAML: Map keys must be unique/],
  ['kind: ConfigMap\nmetadata: { name: a }\n', 'line 1: the object has no apiVersion'],
  [`${WELL}---\n\napiVersion: v1\nmetadata: { name: a }\n`, 'line 6: the object has no kind'],
  ['apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n', 'line 1: the object has no metadata.name'],
  [
    'apiVersion: v1\nkind: Pod\nmetadata: { generateName: a- }\n',
    'line 1: the object has no metadata.name: generateName makes another object each time',
  ],
  ['- one\n- two\n', 'line 1: a manifest is a map with apiVersion, kind and metadata'],
  ['# nothing\n', 'it has no object'],
])('%j is refused with one reason', (text, fault) => {
  const found = findFault(text, []);
  if (typeof fault === 'string') expect(found).toBe(fault);
  else expect(found).toMatch(fault);
});

test('a value is a whole value of YAML', () => {
  const secret = (value: string) => `${WELL}stringData:\n  url: ${value}\n`;
  expect(findFault(secret('@PASSWORD@'), ['PASSWORD'])).toBeUndefined();
  expect(findFault(`${WELL}stringData: { url: @PASSWORD@, other: a }\n`.replace(', other: a', ''), ['PASSWORD'])).toBeUndefined();
  expect(findFault(secret('postgres://shop:@PASSWORD@@db'), ['PASSWORD'])).toBe(
    'line 5: a value replaces a whole value of YAML: "password: @NAME@"',
  );
});

const URL = { url: 'https://example.org/a.yaml', sha256: 'a'.repeat(64) };

test.each([
  [{ content: WELL }, []],
  [URL, []],
  [{ tree: { 'a.yaml': WELL, 'README.md': '# text' } }, []],
  [{}, ['']],
  [{ content: WELL, ...URL }, ['']],
  [{ url: URL.url }, ['sha256']],
  [{ content: WELL, sha256: URL.sha256 }, ['sha256']],
  [{ tree: { 'README.md': '# text' } }, ['tree']],
  [{ tree: { 'a.yaml': 'a: b: c' } }, ['tree.a.yaml']],
  [{ content: { base64: 'AAAA' } }, ['content']],
  [{ content: WELL, values: { PASSWORD: 'a' } }, ['values.PASSWORD']],
  [{ ...URL, values: { PASSWORD: 'a' } }, ['values']],
  [{ chart: URL, chartValues: 'a: @A@\n', values: { A: 'b' } }, []],
  [{ chart: URL, chartValues: 'a: b: c' }, ['chartValues']],
  [{ chart: URL, chartValues: '- a' }, ['chartValues']],
  [{ content: WELL, chartValues: 'a: b' }, ['chartValues']],
])('the source %j is wrong in %j', (source, wrong) => {
  const { error } = manifestsConfig.safeParse({ manifests: { a: source }, helm: URL });
  expect((error?.issues ?? []).map(({ path }) => path.slice(2).join('.'))).toEqual(wrong);
});

test('a chart needs a release of Helm', () => {
  const { error } = manifestsConfig.safeParse({ manifests: { a: { chart: URL } } });
  expect(error?.issues.map(({ path, message }) => [path.join('.'), message])).toEqual([
    ['helm', 'the chart a needs a release of Helm: helm: { url, sha256 }'],
  ]);
});
