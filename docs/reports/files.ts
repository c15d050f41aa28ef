import { join } from 'node:path';
import { Readable } from 'node:stream';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { expect } from 'vitest';
import { readDotenv } from '../../authoring/secrets/dotenv.js';
import { readValues } from '../../authoring/secrets/read-values.js';
import { readAll } from '../../cli/shared/secrets/typed-secret.js';
import { creationRule } from '../../sops/creation-rules.js';
import { newSopsFile, openSopsFile, plainOf, readSopsFile } from '../../sops/sops-file.js';
import { type Play, withFiles } from './play.js';

/** The text of a file that was encrypted and decrypted again. */
export async function throughSops(file: string, text: string): Promise<string> {
  const key = await generateIdentity();
  const sealed = await newSopsFile(file, Buffer.from(text), { recipients: [await identityToRecipient(key)] }, new Date(0));
  return plainOf(await openSopsFile(readSopsFile(file, sealed), { keys: [key], looked: [] })).toString();
}

const valuesOf = (text: string) => Object.fromEntries(readDotenv(text).entries.map(({ name, value }) => [name, value]));

export const FILES: Record<string, Play> = {
  49: () => {
    const { values, empty } = readValues('c.env', 'A="x" # c\nB=y\n', 'dotenv');
    expect([Object.fromEntries(values), empty]).toEqual([{ A: 'x', B: 'y' }, []]);
  },
  50: () => {
    const text = '\ufeff# note\r\nexport A=1\r\nB="two\nlines"\r\nC=$HOME%n=x\r\nD=\'$x "y"\'\r\n';
    const values = valuesOf(text.slice(1));
    expect(values).toEqual({ A: '1', B: 'two\nlines', C: '$HOME%n=x', D: '$x "y"' });
    expect(readDotenv(text.slice(1)).faults).toEqual([]);
  },
  51: () => expect(readValues('c.env', 'A=1\nEMPTY=\n', 'dotenv')).toEqual({ values: new Map([['A', '1']]), empty: ['EMPTY'] }),
  52: async () => {
    const text = '# note\nexport A=1\nB="x y" # behind\nC=\'it\'\n';
    expect(await throughSops('a.env', text)).toBe(text);
    expect(await throughSops('a.env', text.replaceAll('\n', '\r\n'))).toBe(text.replaceAll('\n', '\r\n'));
  },
  53: async () => {
    const merged = await throughSops('a.yaml', 'base: &b\n    x: 1\nuse:\n    <<: *b\n    y: 2\n');
    expect(merged).toContain('use:\n    x: 1\n    "y": 2\n');
    expect(merged).not.toContain('<<');
  },
  54: async () => {
    const text = '# head\na: 2020-01-02\n---\nb: 1\n';
    expect(await throughSops('a.yaml', text)).toContain('# head\na: ');
    await expect(throughSops('a.yaml', 'a: 1\na: 2\n')).rejects.toMatchObject({ details: { blame: 'user' } });
  },
  '54b': () => expect(throughSops('a.yaml', 'a: 1\nb: 12345678901234567890\n')).rejects.toThrow(/line 2|a\.yaml:2/),
  55: async () => {
    const recipient = await identityToRecipient(await generateIdentity());
    const rules = `creation_rules:\n  - path_regex: secrets/.*\n    age: >-\n      ${recipient},\n      ${recipient}\n`;
    const rule = await withFiles({ '.sops.yaml': rules }, (folder) => creationRule(join(folder, 'secrets', 'a.yaml')));
    expect(new Set(rule?.recipients)).toEqual(new Set([recipient]));
  },
  58: async () => {
    for (const text of ['pw', 'pw\n', 'pw\r\n']) expect(await readAll(Readable.from([text]))).toBe('pw');
    expect(await readAll(Readable.from(['pw\n\n']))).toBe('pw\n');
  },
};
