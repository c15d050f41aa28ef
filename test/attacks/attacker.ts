/**
 * An unprivileged user of the same machine: knows the engine's address and what
 * Temporal shows to everybody, has no key and no certificate. Started by
 * main.ts as `nobody`; one line in, one line out.
 */
import { createInterface } from 'node:readline';
import { Client, Connection } from '@temporalio/client';
import { rawTemporal } from '../support/raw-temporal.js';
import { ATTACKS, type Scene } from './attacks.js';

const [address = '', namespace = '', taskQueue = ''] = process.argv.slice(2);

async function strike(name: string, scene: Scene): Promise<unknown> {
  const attack = ATTACKS.find((one) => one.name === name);
  if (!attack) throw new Error(`no such attack: ${name}`);
  const connection = await Connection.connect({ address, connectTimeout: 5_000 }).catch(() => undefined);
  if (!connection) return { letIn: false };
  try {
    const temporal = new Client({ connection, namespace });
    return { letIn: true, through: await attack.strike(rawTemporal({ temporal, taskQueue }), scene) };
  } finally {
    await connection.close();
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { name, scene } = JSON.parse(line) as { name: string; scene: Scene };
  const answer = await strike(name, scene).catch((error: unknown) => ({ letIn: true, failed: String(error) }));
  process.stdout.write(`${JSON.stringify({ uid: process.getuid?.(), ...(answer as object) })}\n`);
}
