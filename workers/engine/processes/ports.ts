import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { inputError, unreachableError } from '../../../core/errors.js';
import { findListener } from './listener.js';

/** The TCP ports of a home's server, all on loopback. */
export interface Ports {
  grpc: number;
  ui: number;
  http: number;
  metrics: number;
}

/** How long ports of the former server may still be taken, in milliseconds. */
const SOON_MS = 500;

/** Ports from the environment: `PROVISIONING_PORT`, `PROVISIONING_UI_PORT`. */
export interface WantedPorts {
  grpc?: number;
  ui?: number;
}

export function readWantedPorts(env: NodeJS.ProcessEnv): WantedPorts {
  return { grpc: portIn(env, 'PROVISIONING_PORT'), ui: portIn(env, 'PROVISIONING_UI_PORT') };
}

/**
 * Chooses the ports of a start: the configured ones, otherwise the home's own, otherwise free ones. A remembered port
 * that another process uses is given up; a configured one is not.
 *
 * @throws inputError `port-in-use` naming the port, and the process if it can be found
 */
export async function choosePorts(wanted: WantedPorts, remembered?: Ports): Promise<Ports> {
  const base =
    remembered && (await soon(() => allFree({ ...remembered, ...defined(wanted) }, wanted))) ? remembered : await freePorts();
  const ports = { ...base, ...defined(wanted) };
  if (wanted.grpc !== undefined) await demand(ports.grpc, 'PROVISIONING_PORT');
  if (wanted.ui !== undefined) await demand(ports.ui, 'PROVISIONING_UI_PORT');
  return ports;
}

/** Whether nothing on this machine listens on the port. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => probe.close(() => resolve(true)));
  });
}

/** Below the range that Linux hands to outgoing connections, so that a remembered port stays free while the server is down. */
async function freePorts(): Promise<Ports> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const first = 20_000 + 4 * Math.floor(Math.random() * 3_000);
    const ports = { grpc: first, ui: first + 1, http: first + 2, metrics: first + 3 };
    if (await allFree(ports, {})) return ports;
  }
  throw unreachableError({
    code: 'no-free-port',
    what: 'choose the ports of the engine',
    why: 'no four ports between 20000 and 32000 are free',
  });
}

/**
 * Waits for the port of a killed server: its sockets close some 15 ms after the process, and clients know its address.
 */
async function soon(free: () => Promise<boolean>): Promise<boolean> {
  for (const until = performance.now() + SOON_MS; ; await sleep(20)) {
    if (await free()) return true;
    if (performance.now() > until) return false;
  }
}

/** The configured ones are left out: they get an error of their own. */
async function allFree(ports: Ports, configured: WantedPorts): Promise<boolean> {
  const chosen = Object.entries(ports).filter(([name]) => configured[name as keyof WantedPorts] === undefined);
  for (const [, port] of chosen) if (!(await isFree(port))) return false;
  return true;
}

async function demand(port: number, variable: string): Promise<void> {
  if (await soon(() => isFree(port))) return;
  const holder = findListener(port);
  throw inputError({
    code: 'port-in-use',
    what: 'start the engine',
    on: `port ${port}`,
    why: holder ? `process ${holder.pid} ("${holder.command}") listens on it` : 'another process listens on it',
    hint: `choose another port with ${variable}, or unset it to use a free port`,
  });
}

function defined(wanted: WantedPorts): Partial<Ports> {
  return Object.fromEntries(Object.entries(wanted).filter(([, port]) => port !== undefined));
}

function portIn(env: NodeJS.ProcessEnv, variable: string): number | undefined {
  const text = env[variable];
  if (text === undefined || text === '') return undefined;
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw inputError({
    code: 'bad-port',
    what: 'read the configuration',
    on: variable,
    why: `"${text}" is not a port`,
    hint: 'use a number from 1 to 65535',
  });
}
