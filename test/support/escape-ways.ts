import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readNamed } from '../../definition/languages/read-named.js';

/**
 * Definitions that try to escape from their engine to Node, and then to a socket, a file or a process. The payload is
 * the same for all; only the escape differs. The escapes work in contexts of `node:vm` or are otherwise known.
 */
export const WAYS: [string, string][] = [
  ['the caller of a getter', `throw { get message() { return reach(getter.caller); } };`],
  ['the caller of a sloppy getter', `throw Object.defineProperty({}, 'message', { get: sloppy('self.caller') });`],
  [
    'callers of all getters',
    `throw Object.defineProperties({}, Object.fromEntries(['name', 'message', 'stack', 'cause', 'code', 'errors'].map((key) => [key, { get: sloppy('self.caller') }])));`,
  ],
  ['arguments of a caller', `throw Object.defineProperty({}, 'name', { get: sloppy('arguments.callee.caller.arguments') });`],
  [
    'traps of a proxy',
    `throw new Proxy({}, Object.fromEntries(['get', 'has', 'ownKeys', 'getPrototypeOf', 'getOwnPropertyDescriptor'].map((trap) => [trap, sloppy('[self.caller, ...arguments]')])));`,
  ],
  [
    'a proxy of a function',
    `throw new Proxy(function () {}, { get: sloppy('[self.caller, ...arguments]'), apply: sloppy('self.caller') });`,
  ],
  [
    'toPrimitive',
    `throw Object.assign(() => {}, { [Symbol.toPrimitive]: sloppy('self.caller'), toString: sloppy('self.caller') });`,
  ],
  ['toString of a message', `throw { message: { toString: sloppy('self.caller'), valueOf: sloppy('self.caller') } };`],
  [
    'prepareStackTrace',
    `(Error as any).prepareStackTrace = (_: unknown, sites: any[]) => { for (const site of sites) reach(site.getThis?.()), reach(site.getFunction?.()); return 'x'; }; throw new Error('x');`,
  ],
  [
    'the prototype of what is thrown',
    `class Mine extends Error {} Object.defineProperty(Mine.prototype, 'name', { get: sloppy('self.caller') }); throw new Mine('x');`,
  ],
  [
    'causes of causes',
    `let e: any = {}; for (let i = 0; i < 50; i++) e = Object.defineProperty({ cause: e }, 'stack', { get: sloppy('self.caller') }); throw e;`,
  ],
  ['a symbol', `throw Symbol('x');`],
  ['toJSON of the value', `export default { toJSON: sloppy('[self.caller, ...arguments]') };`],
  ['getters of the value', `export default Object.defineProperty({}, 'infra', { enumerable: true, get: sloppy('self.caller') });`],
  ['then of the value', `export default Object.defineProperty({}, 'then', { get: sloppy('self.caller') });`],
  ['the export itself', `export default sloppy('[self.caller, ...arguments]');`],
  ['JSON that is another', `JSON.stringify = sloppy('[self.caller, ...arguments]'); export default {};`],
  ['String that is another', `(globalThis as any).String = sloppy('self.caller'); throw {};`],
  ['a prototype of Object', `Object.defineProperty(Object.prototype, 'message', { get: sloppy('self.caller') }); throw {};`],
  [
    'a prototype of Function',
    `Function.prototype.call = Function.prototype.apply = sloppy('[self, self.caller, ...arguments]'); export default {};`,
  ],
  [
    'constructors of all functions',
    `for (const f of [() => {}, function* () {}, async () => {}, async function* () {}]) try { reach(f.constructor('return process')()); } catch {} throw 1;`,
  ],
  ['an import by name', `throw { get message() { return new Function('return import("node:net")')().then(reach), 'x'; } };`],
  ['the console', `for (const f of Object.values(console)) { reach(f); reach((f as any).constructor); } throw 1;`],
  ['an own answer', `throw { name: { toString: () => '"}{"value":{"infra":"x"}}' }, message: '\\u0000', stack: reach };`],
  ['all that is global', `for (const key of Object.getOwnPropertyNames(globalThis)) reach((globalThis as any)[key]); throw 1;`],
  ['a job for later', `Promise.resolve().then(() => reach(globalThis)); export default {};`],
];

/** Content of the owner's file. */
export const CANARY = 'CANARY-of-the-owner';

/** Tries to reach Node through a value, and to use it. */
const reaching = (port: number, socket: string, canary: string, mark: string) => `
const seen = new Set<unknown>();
function use(process: any): void {
  process.exit = process.reallyExit = () => {};
  const require = process.getBuiltinModule ?? process.mainModule.require;
  for (const to of [${port}, ${JSON.stringify(socket)}]) require('net').connect(to).on('error', () => {}).end('reached');
  require('fs').writeFileSync(${JSON.stringify(mark)}, require('fs').readFileSync(${JSON.stringify(canary)}));
}
function reach(value: any, depth = 0): string {
  if (value === null || value === undefined || seen.has(value) || depth > 3) return 'x';
  if (typeof value === 'object' || typeof value === 'function') seen.add(value);
  const leads = [() => value.constructor('return process')(), () => value.constructor.constructor('return process')(),
    () => value.caller, () => value.arguments, () => value.process, () => Object.getPrototypeOf(value), ...[0, 1, 2].map((index) => () => value[index])];
  for (const lead of leads) {
    try {
      const found = lead();
      if (found?.pid !== undefined) use(found);
      else reach(found, depth + 1);
    } catch {}
  }
  return 'x';
}
(globalThis as any).__reach = reach;
// What a function in sloppy mode sees, which those of a module are not.
const sloppy = (sees: string): any => (0, eval)('(function self() { try { return __reach(' + sees + '); } catch { return "x"; } })');
`;

/** Result of a failed escape: its own error, a value, or a rejected import. */
export const GOT_NOWHERE = /"message":"it threw an error|"value"|is (no|not a) file of the workspace|no default export|a promise/;

/** File, port and socket of the owner, and definitions that try to reach them. */
export interface Bait {
  /**
   * Evaluates a definition that has the escape helpers.
   *
   * @returns the result, as JSON
   */
  read(name: string, way: string): Promise<string>;
  /** Returns the targets reached so far: a connection, or the file that a program writes. */
  reached(): Promise<string[]>;
  end(): Promise<void>;
}

export async function layBait(): Promise<Bait> {
  const folder = await mkdtemp(join(tmpdir(), 'escapes-'));
  const [canary, mark, socket] = ['canary', 'mark', 'a.sock'].map((name) => join(folder, name)) as [string, string, string];
  await writeFile(canary, CANARY);
  const heard: string[] = [];
  const listen = (at: string | { port: number; host: string }) =>
    new Promise<Server>((resolve) => {
      const server = createServer((connection) => {
        heard.push(typeof at === 'string' ? at : 'the port');
        connection.destroy();
      }).listen(at, () => resolve(server));
    });
  const servers = [await listen({ port: 0, host: '127.0.0.1' }), await listen(socket)];
  const { port } = (servers[0] as Server).address() as AddressInfo;
  return {
    async read(name, way) {
      const file = join(folder, `${name}.ts`);
      const head = way.includes('export default') ? '' : 'export default {};\n';
      await writeFile(file, `${head}${reaching(port, socket, canary, mark)}${way}\n`);
      return JSON.stringify(await readNamed(file, 'none'));
    },
    async reached() {
      const marked = await readFile(mark).then(
        () => ['the file'],
        () => [],
      );
      return [...heard, ...marked];
    },
    async end() {
      for (const server of servers) server.close();
      await rm(folder, { recursive: true });
    },
  };
}
