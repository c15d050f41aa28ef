import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AuthorityStep, followAuthority, nextStep, type OpenStep, stepIn, takeStep } from './authority-steps.js';
import { certificatesIn, keysIn, makeAuthority, makeCertificate } from './certificates.js';
import { partOf } from './makers.js';

const CA = { generate: 'ca' as const, name: 'internal', days: 30 };
const DB = { generate: 'certificate' as const, ca: 'internal', names: ['db.internal'] };
const first = makeAuthority('internal', 30);
const pair = makeCertificate(first, DB.names, 9);

/** Stored values of an authority and a certificate after each step. */
interface Kept {
  ca: string;
  db: string;
}
function stepped({ ca, db }: Kept, step: AuthorityStep, generation: number): Kept {
  const next = takeStep(ca, step, CA, generation);
  return { ca: next, db: followAuthority(db, next, DB) };
}
const start = { ca: first, db: pair };
const trust = stepped(start, 'trust', 2);
const issue = stepped(trust, 'issue', 3);
const finish = stepped(issue, 'finish', 4);

const subjects = (text: string) => certificatesIn(text).map((one) => new X509Certificate(one).subject);
const trusted = ({ ca }: Kept) => partOf('generated/w/shop/ca/internal/certificate', ca);
const part = ({ db }: Kept, of: string) => partOf(`generated/w/shop/certificate/db/${of}`, db);

describe('a rotation', () => {
  test('hands out both authorities as long as it lasts, the same text in both steps, and each has its own subject', () => {
    const both = ['CN=internal', 'CN=internal 2'];
    expect([start, trust, issue, finish].map((one) => subjects(trusted(one)))).toEqual([
      ['CN=internal'],
      both,
      both,
      ['CN=internal 2'],
    ]);
    expect(trusted(issue)).toBe(trusted(trust));
    for (const one of [start, trust, issue, finish]) expect(part(one, 'authority')).toBe(trusted(one));
  });

  test('renews a certificate with its key in the second step, and in no other', () => {
    const [own, renewed] = [part(start, 'bundle'), part(finish, 'bundle')];
    expect([part(trust, 'bundle'), part(issue, 'bundle') === own, part(issue, 'bundle')]).toEqual([own, false, renewed]);
    const [a = '', b = ''] = certificatesIn(trusted(trust));
    const isBy = (one: Kept, authority: string) =>
      new X509Certificate(part(one, 'certificate')).verify(new X509Certificate(authority).publicKey);
    expect([isBy(trust, a), isBy(trust, b), isBy(issue, a), isBy(issue, b)]).toEqual([true, false, false, true]);
  });

  test('says its step by what is kept, and the step after it', () => {
    const steps = [start, trust, issue, finish].map(({ ca }) => stepIn(ca));
    expect(steps).toEqual([undefined, 'trust', 'issue', undefined]);
    expect(steps.slice(0, 3).map((step) => nextStep(step as OpenStep | undefined))).toEqual(['trust', 'issue', 'finish']);
  });

  test('keeps no key of the former authority once the next one signs', () => {
    const [former = ''] = keysIn(first);
    expect([trust, issue, finish].map(({ ca }) => [keysIn(ca).length, ca.includes(former)])).toEqual([
      [2, true],
      [1, false],
      [1, false],
    ]);
    for (const { ca, db } of [trust, issue, finish])
      for (const key of keysIn(ca)) expect(`${trusted({ ca, db })}${db}`).not.toContain(key);
  });

  test.each([
    ['trust', trust, 'CN=internal', 2],
    ['issue', issue, 'CN=internal 2', 2],
  ] as const)('gives a certificate that is made during %s to who signs, with both authorities', (_, { ca }, by, count) => {
    const made = makeCertificate(ca, ['cache.internal'], 9);
    expect(new X509Certificate(certificatesIn(made)[0] ?? '').issuer).toBe(by);
    expect(certificatesIn(made)).toHaveLength(1 + count);
    expect(followAuthority(made, ca, { ...DB, names: ['cache.internal'] })).toBe(made);
  });

  test('at once leaves nothing of the former authority, from whichever step', () => {
    for (const one of [start, trust, issue]) {
      const { ca, db } = stepped(one, 'at-once', 7);
      expect([subjects(ca), stepIn(ca), subjects(db)]).toEqual([['CN=internal 7'], undefined, ['CN=db.internal', 'CN=internal 7']]);
    }
  });

  test('of a second time begins with what the first has left', () => {
    const again = stepped(finish, 'trust', 5);
    expect(subjects(trusted(again))).toEqual(['CN=internal 2', 'CN=internal 5']);
    expect(part(again, 'bundle')).toBe(part(finish, 'bundle'));
  });
});

describe('OpenSSL', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'authority-steps-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test.each([
    ['former authority, former certificate', start, start, true],
    ['both, former certificate', trust, start, true],
    ['both, next certificate', trust, issue, true],
    ['next authority, next certificate', finish, issue, true],
    ['former authority, next certificate', start, issue, false],
    ['next authority, former certificate', finish, start, false],
  ])('with %s', async (name, client, server, isGood) => {
    const [ca, own] = [join(folder, `${name}.ca`), join(folder, `${name}.pem`)];
    await writeFile(ca, trusted(client));
    await writeFile(own, part(server, 'certificate'));
    const args = ['verify', '-x509_strict', '-purpose', 'sslserver', '-verify_hostname', 'db.internal', '-CAfile', ca, own];
    expect((await execa('openssl', args, { reject: false })).exitCode === 0).toBe(isGood);
  });
});

describe('a TLS server and its clients', () => {
  const server = createServer({ cert: part(start, 'certificate'), key: part(start, 'key') }, (socket) => socket.end('hello'));
  beforeAll(() => new Promise<void>((done) => server.listen(0, '127.0.0.1', done)));
  afterAll(() => new Promise((done) => server.close(done)));

  const serve = (kept: Kept) => {
    server.setSecureContext({ cert: part(kept, 'certificate'), key: part(kept, 'key') });
  };
  const answer = (client: Kept) =>
    new Promise<string>((done) => {
      const { port } = server.address() as { port: number };
      const socket = connect({ port, host: '127.0.0.1', servername: 'db.internal', ca: trusted(client) });
      socket.on('data', (data) => done(String(data)));
      socket.on('error', ({ message }) => done(message));
    });

  test('understand each other in every order of the changes within a step, and fail without the overlap', async () => {
    // Within a step, client and server have the value before or after it: test all four pairs.
    for (const [before, next] of [
      [start, trust],
      [trust, issue],
      [issue, finish],
    ] as const)
      for (const own of [before, next]) {
        serve(own);
        for (const client of [before, next]) expect(await answer(client)).toBe('hello');
      }
    const forced = stepped(start, 'at-once', 2);
    serve(forced);
    expect(await answer(forced)).toBe('hello');
    expect(await answer(start)).not.toBe('hello');
    // The overlap is needed: skipping it fails.
    serve(issue);
    expect(await answer(start)).not.toBe('hello');
    serve(start);
    expect(await answer(finish)).not.toBe('hello');
  });
});
