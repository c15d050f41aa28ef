import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, describe, expect, it } from 'vitest';
import { firstFile, tar } from './tar.js';

const folder = mkdtempSync(join(tmpdir(), 'provisioning-tar-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a tar archive', () => {
  const long = 'ä'.repeat(1000);
  const archive = tar([
    { path: 'etc/folder', mode: 0o700 },
    { path: 'etc/folder/file', mode: 0o600, content: long },
    { path: 'etc/empty', mode: 0o644, content: '' },
  ]);

  it('is unpacked by tar with its modes', async () => {
    writeFileSync(join(folder, 'a.tar'), archive);
    await execa('tar', ['-xf', 'a.tar', '--no-same-owner'], { cwd: folder });
    expect(readFileSync(join(folder, 'etc/folder/file'), 'utf8')).toBe(long);
    expect(statSync(join(folder, 'etc/folder/file')).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'etc/folder')).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'etc/empty')).size).toBe(0);
  });

  it('is read back as far as its first file', () => {
    expect(firstFile(archive)).toBe(long);
    expect(firstFile(tar([{ path: 'only/a/folder', mode: 0o755 }]))).toBeUndefined();
    expect(firstFile(Buffer.alloc(0))).toBeUndefined();
  });
});
