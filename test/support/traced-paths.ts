/** A system call of a trace that names a path. */
export interface Tried {
  call: string;
  path: string;
}

const STRINGS = /"((?:[^"\\]|\\.)*)"/g;

/**
 * The paths that a trace of strace names, whether the call succeeded or not. Texts of `execve` are arguments too, so only its
 * program counts.
 *
 * @param trace what `strace -f -e trace=%file,connect -o` wrote
 */
export function readTrace(trace: string): Tried[] {
  return trace.split('\n').flatMap((line): Tried[] => {
    const [, call] = /^\d+ +(\w+)\(/.exec(line) ?? [];
    if (call === undefined) return [];
    const all = [...line.matchAll(STRINGS)].map(([, text = '']) => text);
    return (call === 'execve' ? all.slice(0, 1) : all).map((path) => ({ call, path }));
  });
}

/** Those at a folder or below it. */
export const triedBelow = (tried: readonly Tried[], folder: string): Tried[] =>
  tried.filter(({ path }) => path === folder || path.startsWith(`${folder}/`));
