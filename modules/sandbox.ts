import type { QuickJSContext, QuickJSHandle, QuickJSSyncVariant, QuickJSWASMModule } from 'quickjs-emscripten-core';
import { inputError } from '../core/errors.js';
import { LIMITS, sizeText } from '../core/limits.js';
import { clipText } from '../core/text.js';
import { ATOB } from './base64.js';
import { isEnded, limitCall } from './watched.js';

/** Reports whether the file of a fact is as wanted (JSON of `WantedFile` without its path). */
export type FileCheck = (fact: string, wanted: string) => boolean;

/** Module in its own engine: it has the language, but no files, network, time or secrets. */
export interface Sandbox {
  /**
   * Calls a function of the module. Blocks until the answer.
   *
   * @throws inputError `module-failed` if the module throws or exceeds a limit
   */
  ask<Answer>(question: string, args: readonly unknown[], isAsWanted?: FileCheck): Answer;
}

/** Stack limit for the engine. An engine frame uses more process stack, which has about 1 MiB. */
const STACK_BYTES = 96 * 1024;

/**
 * Time limit of a call that the engine itself does not interrupt, in milliseconds. A busy machine needs long for a
 * correct call.
 */
const LONGEST_MS = 10_000;

/** Time without calls to a module after it exceeds a limit, in milliseconds. */
const BROKEN_MS = 60_000;

const TOO_MUCH_MEMORY = `it takes more than ${sizeText(LIMITS.moduleMemory)} of memory`;

/** Errors that the engine throws at its limits. */
const LIMIT_WORDS = [
  { thrown: 'InternalError: stack overflow', why: 'its recursion is too deep' },
  { thrown: 'InternalError: interrupted', why: `it exceeds ${LIMITS.moduleSeconds} s of processor time` },
  { thrown: 'InternalError: out of memory', why: TOO_MUCH_MEMORY },
];

/** Memory of an engine. */
interface Memory {
  readonly buffer: ArrayBuffer;
}

/** Node has WebAssembly; its types do not. */
const { Memory, RuntimeError } = (
  globalThis as unknown as {
    WebAssembly: { Memory: new (pages: { initial: number; maximum: number }) => Memory; RuntimeError: typeof Error };
  }
).WebAssembly;

/** Size of a WebAssembly page in bytes, and the initial number of pages (from the engine's build). */
const PAGE_BYTES = 64 * 1024;
const FIRST_PAGES = 256;

/** Creates an engine with its own memory. The memory is collected with the engine. */
async function newEngine(): Promise<{ engine: QuickJSWASMModule; memory: Memory }> {
  const [{ newQuickJSWASMModuleFromVariant, newVariant }, variant] = await Promise.all([
    import('quickjs-emscripten-core'),
    import('@jitl/quickjs-wasmfile-release-sync'),
  ]);
  // The engine's own limit has no effect: in WebAssembly it does not know the size of its allocations.
  const memory = new Memory({ initial: FIRST_PAGES, maximum: LIMITS.moduleMemory / PAGE_BYTES });
  // Its types are those of CommonJS.
  const limited = newVariant(variant.default as unknown as QuickJSSyncVariant, { wasmMemory: memory });
  return { engine: await newQuickJSWASMModuleFromVariant(limited), memory };
}

/**
 * Starts a module.
 *
 * @param code one script that includes the SDK (`definition/modules/compile.ts`).
 * @param longest time limit of a call in milliseconds, whatever its processor time
 * @throws inputError `module-failed`
 */
export async function openSandbox(name: string, code: string, longest = LONGEST_MS): Promise<Sandbox> {
  const failed = (what: string, why: string) =>
    inputError({
      code: 'module-failed',
      what,
      on: `taskserv ${name}`,
      why,
      hint: 'change the code of this workspace module',
    });
  if (code.length > LIMITS.moduleCode)
    throw failed('start the module', `its code has ${sizeText(code.length)}, at most ${sizeText(LIMITS.moduleCode)} are allowed`);
  const { engine, memory } = await newEngine();
  const runtime = engine.newRuntime();
  runtime.setMaxStackSize(STACK_BYTES);
  let began = process.cpuUsage();
  // Processor time: on a busy machine a correct module takes longer.
  runtime.setInterruptHandler(() => secondsSince(began) > LIMITS.moduleSeconds);
  const context = runtime.newContext();
  let comparing: FileCheck | undefined;
  let broken: { why: string; until: number } | undefined;

  function within<T>(what: string, use: () => T): T {
    if (broken && performance.now() < broken.until) throw failed(what, broken.why);
    began = process.cpuUsage();
    try {
      return limitCall(use, longest);
    } catch (error) {
      // The process stack or the engine's memory is exhausted. The engine's state is then unknown, so it is not used
      // again.
      const why = isEnded(error)
        ? `it exceeds ${longest / 1_000} s`
        : error instanceof RangeError
          ? 'its recursion is too deep'
          : error instanceof RuntimeError
            ? TOO_MUCH_MEMORY
            : undefined;
      if (!why) throw error;
      broken = { why, until: Number.POSITIVE_INFINITY };
      throw failed(what, why);
    }
  }

  function result(what: string, returned: ReturnType<QuickJSContext['evalCode']>): QuickJSHandle {
    if (!returned.error) return returned.value;
    const thrown = returned.error.consume((handle) => context.dump(handle) as unknown);
    // If a large allocation fails, the engine may have no memory for the error either.
    const isFull = thrown === null && memory.buffer.byteLength > LIMITS.moduleMemory / 2;
    const why = isFull ? 'InternalError: out of memory' : wordsOf(thrown);
    const limit = LIMIT_WORDS.find(({ thrown }) => why.startsWith(thrown));
    if (!limit) throw failed(what, why);
    // A call blocks the caller and the whole process.
    broken = { why: limit.why, until: performance.now() + BROKEN_MS };
    throw failed(what, limit.why);
  }

  context
    .newFunction('__isAsWanted', (fact, wanted) =>
      comparing?.(context.getString(fact), context.getString(wanted)) ? context.true : context.false,
    )
    .consume((compare) => context.setProp(context.global, '__isAsWanted', compare));
  context
    .newFunction('__partsOfUrl', (url, base) => {
      const parts = partsOfUrl(context.getString(url), context.typeof(base) === 'string' ? context.getString(base) : undefined);
      return parts === undefined ? context.undefined : context.newString(JSON.stringify(parts));
    })
    .consume((parse) => context.setProp(context.global, '__partsOfUrl', parse));
  result('start the module', context.evalCode(ATOB, 'base64.js')).dispose();
  within('start the module', () => result('start the module', context.evalCode(code, `${name}.js`)).dispose());
  const call = (what: string, global: string, args: string[]): string => {
    return within(what, () => {
      const handles = args.map((arg) => context.newString(arg));
      try {
        return context
          .getProp(context.global, global)
          .consume((fn) => result(what, context.callFunction(fn, context.undefined, ...handles)))
          .consume((handle) => (context.typeof(handle) === 'string' ? context.getString(handle) : ''));
      } finally {
        for (const handle of handles) handle.dispose();
      }
    });
  };
  call('take the taskserv', '__takeExported', [name]);
  return {
    ask<Answer>(question: string, args: readonly unknown[], isAsWanted?: FileCheck): Answer {
      const what = `ask a module for "${question}"`;
      comparing = isAsWanted;
      try {
        const text = call(what, '__answer', [question, JSON.stringify(args)]);
        if (text.length <= LIMITS.moduleAnswer) return JSON.parse(text) as Answer;
        throw failed(what, `its answer has ${sizeText(text.length)}, at most ${sizeText(LIMITS.moduleAnswer)} are allowed`);
      } finally {
        comparing = undefined;
      }
    },
  };
}

function secondsSince(began: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1e6;
}

/** Returns the parts of a URL; undefined for an invalid URL. The engine has no URL, which schemas need. */
function partsOfUrl(url: string, base?: string): Record<string, string> | undefined {
  if (!URL.canParse(url, base)) return undefined;
  const { href, origin, protocol, username, password, host, hostname, port, pathname, search, hash } = new URL(url, base);
  return { href, origin, protocol, username, password, host, hostname, port, pathname, search, hash };
}

/** Returns the thrown error in one line. */
function wordsOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return clipText(String(thrown), 300);
  const { name = 'Error', message = '' } = thrown as { name?: unknown; message?: unknown };
  return clipText(`${String(name)}: ${String(message)}`, 300);
}
