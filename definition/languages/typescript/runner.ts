/** Environment of a definition's program inside the engine. All exchange with it is text. */
const INSIDE = `
'use strict';
delete globalThis.Atomics;
delete globalThis.SharedArrayBuffer;
const none = () => {};
globalThis.console = { log: none, info: none, warn: none, error: none, debug: none };
(() => {
  const write = JSON.stringify, parse = JSON.parse, text = String;
  const partOf = (error, key) => { try { return text(error[key] ?? ''); } catch { return ''; } };
  const textOf = (thrown) => { try { return text(thrown); } catch { return ''; } };
  const told = (thrown) => thrown !== null && (typeof thrown === 'object' || typeof thrown === 'function')
    ? { name: partOf(thrown, 'name'), message: partOf(thrown, 'message'), stack: partOf(thrown, 'stack') }
    : { name: '', message: textOf(thrown), stack: '' };
  const answer = (given) => {
    let value = globalThis.__definition.default;
    if (typeof value === 'function') value = value(parse(given));
    if (value === undefined || value === null) return { none: 'it has no default export' };
    if (typeof value.then === 'function') return { none: 'its default export is a promise: a definition waits for nothing' };
    return { value };
  };
  return {
    thrown: (error) => write(told(error)),
    exported: (given) => { try { return write(answer(given)); } catch (error) { return write(told(error)); } },
  };
})();
`;

/**
 * Size of the engine's own stack in bytes. Each of its frames uses more of the process' stack, which has `STACK_KIB`.
 */
const STACK_BYTES = 256 * 1024;

/** Stack of the process in KiB, of the kernel's 8 MiB. */
export const STACK_KIB = 3_900;

/**
 * Program that runs a bundle in a process of its own. It reads the bundle from standard input, and writes the result
 * as JSON.
 *
 * The bundle runs in QuickJS, an engine within WebAssembly. The engine gets no function and no object of Node, and its
 * results and errors become text inside it, so no path leads from it to `process`. The program is a text and not a
 * file, because the process may read only the packages of the engine.
 *
 * Arguments: the files of `quickjs-emscripten-core` and of its engine, then the engine's memory limit in bytes.
 */
export const RUNNER = `
'use strict';
const fs = require('node:fs');
const [core, variant, bytes] = process.argv.slice(1);
const given = process.env.GIVEN;
const memory = new WebAssembly.Memory({ initial: 256, maximum: Number(bytes) / 65536 });
const end = (text) => {
  for (let rest = Buffer.from(text); rest.length > 0; ) rest = rest.subarray(fs.writeSync(1, rest));
  process.exit(0);
};
const evaluate = (engine) => {
  const runtime = engine.newRuntime();
  runtime.setMaxStackSize(${STACK_BYTES});
  const context = runtime.newContext();
  const guest = context.unwrapResult(context.evalCode(${JSON.stringify(INSIDE)}, 'provisioning.js'));
  const ask = (name, arg) => context.getString(context.unwrapResult(context.callFunction(context.getProp(guest, name), context.undefined, arg)));
  // The engine is ready before the code is, which esbuild makes meanwhile.
  const made = context.evalCode(fs.readFileSync(0, 'utf8'), 'definition.js');
  // Without memory for an error the engine throws null. A program may throw null as well.
  if (made.error && context.sameValue(made.error, context.null) && memory.buffer.byteLength > Number(bytes) / 2) throw new Error('memory');
  return made.error ? ask('thrown', made.error) : ask('exported', context.newString(given));
};
const { newQuickJSWASMModuleFromVariant, newVariant } = require(core);
newQuickJSWASMModuleFromVariant(newVariant(require(variant).default, { wasmMemory: memory })).then((engine) => {
  try {
    end(evaluate(engine));
  } catch (error) {
    // The stack of this process, or memory that the engine did not get: it is in no state to say so itself.
    end(JSON.stringify({ limit: error instanceof RangeError ? 'depth' : 'memory' }));
  }
});
`;
