/**
 * The attacker: an unprivileged user of the same machine. It knows the engine's address and everything that Temporal
 * shows to each client. It has no key, and a certificate only if one was taken. main.ts starts it as `nobody`; it
 * reads and writes one line at a time.
 */
import { createInterface } from 'node:readline';
import { Client, Connection } from '@temporalio/client';
import type { Aim } from './aim.js';
import type { Attack } from './attacks.js';
import { type Means, type MeansName, meansOf } from './means.js';
import { strike } from './strike.js';

/** Connection of the attacker to Temporal. */
export interface Way {
  address: string;
  namespace: string;
  taskQueue: string;
  /** Texts of certificates and a key, if they were taken. */
  taken?: { ca: string; certificate: string; key: string; name: string };
}

/** An attack, or one of Temporal's own means. */
interface Line {
  id: number;
  attack?: Attack;
  aim?: Aim;
  means?: MeansName;
  at?: Means;
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { address, namespace, taskQueue, taken } = JSON.parse((await lines.next()).value ?? '{}') as Way;

const tls = taken && {
  serverNameOverride: taken.name,
  serverRootCACertificate: Buffer.from(taken.ca),
  clientCertPair: { crt: Buffer.from(taken.certificate), key: Buffer.from(taken.key) },
};
let open: Promise<Client | undefined> | undefined;
/** Connection of the attacker. It is retried for each attack until it is accepted. */
async function reach(): Promise<Client | undefined> {
  open ??= Connection.connect({ address, tls, connectTimeout: 5_000 }).then(
    (connection) => new Client({ connection, namespace }),
    () => undefined,
  );
  const client = await open;
  if (!client) open = undefined;
  return client;
}

for await (const line of lines) {
  const { id, attack, aim, means, at } = JSON.parse(line) as Line;
  const answer = (async () => {
    const client = await reach();
    if (!client) return { outcome: 'not let in' };
    if (attack && aim) return { outcome: await strike(client, taskQueue, attack, aim) };
    if (means && at) await meansOf(client, taskQueue)[means](at);
    return { outcome: 'taken' };
  })().catch((error: unknown) => ({ outcome: 'failed', why: String(error).slice(0, 300) }));
  void answer.then((what) => process.stdout.write(`${JSON.stringify({ id, uid: process.getuid?.(), ...what })}\n`));
}
process.exit(0);
