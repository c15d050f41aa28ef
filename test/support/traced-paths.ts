/** System call of a trace that names a path. */
export interface Tried {
  call: string;
  path: string;
}

const STRINGS = /"((?:[^"\\]|\\.)*)"/g;

/**
 * Returns the paths in a strace trace, whether the call succeeded or not. Texts of `execve` are arguments too, so only
 * its program counts.
 *
 * @param trace output of `strace -f -e trace=%file,connect -o`
 */
export function readTrace(trace: string): Tried[] {
  return trace.split('\n').flatMap((line): Tried[] => {
    const [, call] = /^\d+ +(\w+)\(/.exec(line) ?? [];
    if (call === undefined) return [];
    const all = [...line.matchAll(STRINGS)].map(([, text = '']) => text);
    return (call === 'execve' ? all.slice(0, 1) : all).map((path) => ({ call, path }));
  });
}

/** Returns the calls at or below a folder. */
export const triedBelow = (tried: readonly Tried[], folder: string): Tried[] =>
  tried.filter(({ path }) => path === folder || path.startsWith(`${folder}/`));
