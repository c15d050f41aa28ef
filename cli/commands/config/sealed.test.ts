import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newSopsFile } from '../../../sops/sops-file.js';
import { runLine } from '../../fake-run.js';

let folder: string;
let key: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'config-sealed-'));
  key = await generateIdentity();
  const text = Buffer.from('engine:\n    profile: hunter2\n');
  await mkdir(join(folder, 'home'));
  await writeFile(
    join(folder, 'home/config.yaml'),
    await newSopsFile('config.yaml', text, { recipients: [await identityToRecipient(key)] }, new Date()),
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const run = (line: string) => runLine(line, { root: join(folder, 'home'), env: { SOPS_AGE_KEY: key } });

test.each([
  'config show --set-only',
  'config show --json',
  'config get engine.profile',
  'config get engine.profile --json',
  'config explain engine.profile',
  'config explain engine.profile --json',
  'config diff',
  'config diff --json',
  'config export',
  'config export --json',
  'config validate',
])('%s does not show what the file has encrypted', async (line) => {
  const { code, out, err } = await run(line);
  expect(code).toBe(0);
  expect(out + err).not.toContain('hunter2');
});

test('it is shown to who asks for it', async () => {
  expect((await run('config get engine.profile --reveal')).out).toBe('hunter2\n');
});
