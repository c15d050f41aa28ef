/**
 * A sick server on port 22 of the network namespace that it runs in. Listens when it reads a line,
 * and says so by one; ends with its standard input.
 *
 *   nsenter --net=… tsx test/support/sick-server-main.ts silent
 */
import { createInterface } from 'node:readline';
import { type Sickness, startSickServer } from './sick-server.js';

const sickness = process.argv[2] as Sickness;
const lines = createInterface(process.stdin);
lines.on('close', () => process.exit());
console.log('ready');
for await (const _ of lines) {
  await startSickServer(sickness, { port: 22, address: '0.0.0.0' });
  console.log('listens');
}
