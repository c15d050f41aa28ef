import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { installMoto } from '../clouds/aws/moto.js';
import { freePorts } from './free-ports.js';
import { eventually } from './operations.js';

/** An emulator of S3 with TLS, which hosts reach through Docker's bridge. */
export interface S3Store {
  port: number;
  /** Its certificate, PEM, for the name `s3.test`. */
  certificate: string;
  stop(): Promise<void>;
}

/** Starts moto as S3 with an empty bucket. Clients must resolve `s3.test` themselves. */
export async function startS3(bucket: string): Promise<S3Store> {
  const python = await installMoto();
  const folder = await mkdtemp(join(tmpdir(), 's3-'));
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const made = ['-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=s3.test', '-addext', 'subjectAltName=DNS:s3.test'];
  await execa('openssl', ['req', '-x509', ...made, '-keyout', key, '-out', certificate]);
  const [inside = 0, port = 0] = await freePorts(2);
  const log = openSync(join(folder, 'log'), 'w');
  const moto = spawn(python, ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(inside)], {
    stdio: ['ignore', log, log],
    // A name such as s3.test is no bucket.
    env: { PATH: process.env.PATH, S3_IGNORE_SUBDOMAIN_BUCKETNAME: 'true' },
  });
  // A killed test must leave nothing behind.
  const end = () => moto.kill('SIGKILL');
  process.once('exit', end);
  await eventually(async () => createBucket(inside, bucket, moto), 60_000, 200);
  const pem = { key: await readFile(key, 'utf8'), cert: await readFile(certificate, 'utf8') };
  const front = createTlsServer(pem, (asked, answer) => passOn(inside, asked, answer));
  await new Promise<void>((resolve) => front.listen(port, '0.0.0.0', resolve));
  return {
    ...{ port, certificate: pem.cert },
    async stop() {
      process.off('exit', end);
      front.closeAllConnections();
      front.close();
      end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** moto's own TLS ends connections without a notice, which clients take for an attack. */
function passOn(port: number, asked: IncomingMessage, answer: ServerResponse): void {
  const { method, url, headers } = asked;
  const inner = request({ host: '127.0.0.1', port, method, path: url, headers }, (found) => {
    answer.writeHead(found.statusCode ?? 502, found.headers);
    found.pipe(answer);
  });
  inner.once('error', () => answer.destroy());
  asked.pipe(inner);
}

const createBucket = (port: number, bucket: string, moto: ChildProcess) =>
  new Promise<void>((resolve, reject) => {
    if (moto.exitCode !== null) throw new Error('moto ended at once');
    request({ host: '127.0.0.1', port, path: `/${bucket}`, method: 'PUT' }, (answer) => {
      answer.resume();
      if (answer.statusCode === 200) resolve();
      else reject(new Error(`moto answers with ${answer.statusCode}`));
    })
      .once('error', reject)
      .end();
  });
