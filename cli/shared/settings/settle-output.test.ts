import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { makeFolder } from '../../../test/support/temporary-folder.js';
import { runLine } from '../../fake-run.js';
import { fakeSession } from '../../fake-session.js';
import { settleOutput } from './settle-output.js';

test('--yaml prints the document that --json prints, and nothing else', async () => {
  for (const line of ['config keys', 'version', 'config get operation.wait', 'provider list']) {
    const [json, yaml] = [await runLine(`${line} --json`), await runLine(`${line} --yaml`)];
    expect(parse(yaml.out)).toEqual(JSON.parse(json.out));
    expect(yaml.out.startsWith('{')).toBe(false);
    expect([yaml.code, yaml.err]).toEqual([json.code, json.err]);
  }
});

test('what fails is a document, too, also where the command line is not understood', async () => {
  for (const line of ['config get nonsense', 'config nonsense', 'config get --nonsense x']) {
    const [json, yaml] = [await runLine(`${line} --json`), await runLine(`${line} --yaml`)];
    expect(parse(yaml.out)).toEqual(JSON.parse(json.out));
    expect(yaml.code).toBe(2);
  }
});

test('texts stay texts for readers of YAML 1.1 as well', async () => {
  const session = fakeSession({ json: true });
  await settleOutput(session, { yaml: true }, session);
  const value = { a: 'yes', b: '0777', c: '12:30:45', d: 'null', e: 'line\nline', f: '\u001b[31m' };
  const text = session.documentText?.(value) ?? '';
  expect(parse(text, { version: '1.1' })).toEqual(value);
  expect(text).not.toContain('\u001b');
});

test('an option goes before the setting, and nobody is asked where a document is wanted', async () => {
  const root = await makeFolder('settle-output');
  await writeFile(join(root, 'config.yaml'), 'output: { format: yaml }\n');
  expect((await runLine('version --json', { root })).out[0]).toBe('{');
  const session = fakeSession({ root, interactive: true });
  await settleOutput(session, {}, session);
  expect([session.json, session.interactive, session.ask]).toEqual([true, false, undefined]);
});
