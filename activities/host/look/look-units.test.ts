import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { unitsScript } from './look-units.js';

const folder = mkdtempSync(join(tmpdir(), 'units-'));
const socket = join(folder, 'private');
let server: Server | undefined;

afterEach(async () => {
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  server = undefined;
  rmSync(socket, { force: true });
});

interface Asked {
  serial: number;
  path: string;
  /** Interface and property, by their last words. */
  property: string;
}

const pad = (size: number) => (8 - (size % 8)) % 8;

/** Reads the calls in what came, as the specification of D-Bus lays them out. */
function callsIn(bytes: Buffer): Asked[] {
  const calls: Asked[] = [];
  for (let at = 0; at < bytes.length; ) {
    const [size, serial, length] = [4, 8, 12].map((offset) => bytes.readUInt32LE(at + offset)) as [number, number, number];
    const body = at + 16 + length + pad(length);
    // The first field is the path: its code and type, then its length.
    const path = bytes.toString('latin1', at + 24, at + 24 + bytes.readUInt32LE(at + 20));
    const first = bytes.readUInt32LE(body);
    const second = body + Math.ceil((4 + first + 1) / 4) * 4;
    const text = (from: number) => bytes.toString('latin1', from + 4, from + 4 + bytes.readUInt32LE(from));
    calls.push({ serial, path, property: `${text(body).split('.').at(-1)}.${text(second)}` });
    at = body + size;
  }
  return calls;
}

/** A message of systemd: an answer (2), a fault (3) or what it tells everybody (4). */
function message(type: 2 | 3 | 4, to: number, value: string): Buffer {
  const text = Buffer.from(value);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(text.length);
  const body = Buffer.concat([Buffer.from('\x01s\0\0', 'latin1'), size, text, Buffer.from([0])]);
  const fields = Buffer.from('\x05\x01u\0\0\0\0\0\x08\x01g\0\x01v\0', 'latin1');
  fields.writeUInt32LE(to, 4);
  const head = Buffer.alloc(16);
  head.write('l', 0, 'latin1');
  head[1] = type;
  head[3] = 1;
  head.writeUInt32LE(body.length, 4);
  head.writeUInt32LE(1, 8);
  head.writeUInt32LE(fields.length, 12);
  return Buffer.concat([head, fields, Buffer.alloc(pad(fields.length)), body]);
}

/** Stands for systemd: lets a client in, and has `answer` say what follows each call. */
async function systemd(answer: (call: Asked) => Buffer, greeting = 'OK 0123\r\n'): Promise<void> {
  const serve = (client: Socket) => {
    let began = false;
    client.on('error', () => {});
    client.on('data', (bytes) => {
      if (bytes.includes('AUTH EXTERNAL 3')) return void client.write(greeting);
      // The first calls may come with it.
      const calls = began ? bytes : bytes.subarray(bytes.indexOf('BEGIN\r\n') + 7);
      began = true;
      client.write(Buffer.concat(callsIn(calls).map(answer)));
    });
  };
  server = createServer(serve);
  await new Promise<void>((resolve) => server?.listen(socket, resolve));
}

/** Output of this part of a look on this machine, with this systemd. */
async function printed(names: string[]): Promise<string> {
  const script = unitsScript(names).join('\n').replaceAll('/run/systemd/private', socket);
  const { stdout } = await promisify(execFile)('bash', ['-c', `systemctl() { echo "systemctl $*"; }\n${script}`]);
  return stdout;
}

const SHOWN = 'systemctl show -p LoadState,ActiveState,UnitFileState,Result';

describe('units of a look', () => {
  it('are asked for by the path of the bus, of services and of others, and told as systemctl does', async () => {
    const asked: string[] = [];
    await systemd(({ serial, path, property }) => {
      asked.push(`${path.split('/').at(-1)} ${property}`);
      return message(2, serial, property === 'Unit.UnitFileState' ? '' : property);
    });
    expect(await printed(['postgresql@15-main', '7.x', 'a_b.timer', 'basic.target'])).toBe(
      ['Service.Result', 'Service.Result', 'Timer.Result', undefined]
        .map((result) =>
          ['LoadState=Unit.LoadState', 'ActiveState=Unit.ActiveState', 'UnitFileState=', ...(result ? [`Result=${result}`] : [])]
            .map((line) => `${line}\n`)
            .join(''),
        )
        .join('\n'),
    );
    expect(asked.filter((one) => one.endsWith('LoadState'))).toEqual([
      'postgresql_4015_2dmain_2eservice Unit.LoadState',
      '_37_2ex_2eservice Unit.LoadState',
      'a_5fb_2etimer Unit.LoadState',
      'basic_2etarget Unit.LoadState',
    ]);
  });

  it('passes over what systemd tells everybody', async () => {
    await systemd(({ serial, property }) => Buffer.concat([message(4, serial, 'news'), message(2, serial, property)]));
    expect(await printed(['nginx'])).toContain('ActiveState=Unit.ActiveState\n');
  });

  it.each([
    ['has no such socket', undefined],
    ['refuses us', () => systemd(() => Buffer.alloc(0), 'REJECTED\r\n')],
    ['answers a call with a fault', () => systemd(({ serial }) => message(3, serial, 'no'))],
    ['answers another call', () => systemd(({ serial }) => message(2, serial + 7, 'active'))],
    ['breaks off', () => systemd(({ serial }) => message(2, serial, 'active').subarray(0, 30))],
    ['answers one of two only', () => systemd(({ serial }) => message(serial < 5 ? 2 : 3, serial, 'active'))],
  ])('are asked of systemctl, all of them, where systemd %s', async (name, prepare) => {
    await prepare?.();
    if (name === 'breaks off') server?.on('connection', (client) => setTimeout(() => client.end(), 200));
    expect(await printed(['nginx', 'redis-server'])).toBe(`${SHOWN} nginx redis-server\n`);
  });

  it('are asked of systemctl where a name needs more than its characters', () => {
    expect(unitsScript(['a b'])).toEqual([`${SHOWN} 'a b' 2>/dev/null`]);
  });
});
