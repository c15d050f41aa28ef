/** Replacement of `require` and `import()`. Nothing has this name, so a program that reaches it ends with an error. */
export const NO_REQUIRE = '__import_later';

/** How a file that is given to esbuild is called in its errors and source maps, before the path. */
export const WORKSPACE = 'workspace';
export const PLATFORM = 'platform';
/** The same of the file as it is written. */
const SOURCE = 'source';

/** Questions of the bundler. The answers have the form of esbuild's plugins. */
export type Question =
  | { ask: 'resolve'; path: string; importer: string; namespace: string }
  | { ask: 'load'; path: string; namespace: string; type?: string };

/** One of esbuild's messages. */
export interface Message {
  id: string;
  text: string;
  /** Details that `imports.ts` adds. */
  detail?: { suggestion?: string };
  /** `line` counts from 1, `column` bytes from 0. */
  location: { file: string; line: number; column: number; lineText: string } | null;
}

/** In place of an answer: nothing that the bundler makes is used any more, and it ends. */
export interface BundlerEnd {
  over: true;
}

/** Answers to esbuild. */
export type ResolveAnswer = { path: string; namespace: string } | BundlerRefusal;
export type LoadAnswer = { contents: string; loader: string; isProgram: boolean } | BundlerRefusal;
export interface BundlerRefusal {
  errors: { text: string; detail: { suggestion?: string } }[];
}

/** Errors, and the source maps of the JavaScript that esbuild got instead of the files. */
export interface BundleResult {
  errors: Message[];
  maps: Record<string, string>;
}

/**
 * Program that runs esbuild in a process of its own. Its arguments are the file of esbuild's library and the options.
 * It is a text and not a file, so it is the same from the sources and in a build.
 *
 * esbuild opens no file of a program: its parent resolves and reads every import. No plugin is asked for `import()`
 * and `require` with a computed path: esbuild would search the folders itself. Therefore each file is first made
 * JavaScript without `import()`, separately and without its imports, and `require` has another name in the bundle.
 */
export const BUNDLER = `
'use strict';
const [library, given] = process.argv.slice(1);
const { build, transform } = require(library);
const options = JSON.parse(given);
const waiting = new Map();
let count = 0;
process.on('message', ({ id, answer }) => {
  if (answer.over) process.exit(0);
  waiting.get(id)(answer);
  waiting.delete(id);
});
const ask = (question) => new Promise((resolve) => {
  waiting.set(++count, resolve);
  process.send({ ...question, id: count });
});
const maps = {};
const alone = { format: 'esm', target: options.target, supported: { 'dynamic-import': false, 'import-attributes': true }, tsconfigRaw: {}, legalComments: 'none', logLevel: 'silent' };
const plain = async (path, { contents, loader }) => {
  try {
    const made = await transform(contents, { ...alone, loader, sourcefile: '${SOURCE}:' + path, sourcemap: 'external', sourcesContent: false });
    const refused = made.warnings.filter(({ id }) => id === 'unsupported-require-call');
    if (refused.length > 0) return { errors: refused };
    maps[path] = made.map;
    const map = Buffer.from(made.map).toString('base64');
    return { contents: made.code + '\\n//# sourceMappingURL=data:application/json;base64,' + map, loader: 'js' };
  } catch (error) {
    return { errors: error.errors };
  }
};
const plugin = {
  name: 'provisioning',
  setup({ onResolve, onLoad }) {
    const all = { filter: /(?:)/ };
    onResolve(all, ({ path, importer, namespace }) => ask({ ask: 'resolve', path, importer, namespace }));
    onLoad(all, async ({ path, namespace, with: { type } }) => {
      const { isProgram, ...file } = await ask({ ask: 'load', path, namespace, type });
      return isProgram ? plain(path, file) : file;
    });
  },
};
const end = (said) => process.stdout.write(JSON.stringify({ ...said, maps }), () => process.exit(0));
build({ ...options, plugins: [plugin] }).then(
  () => end({ errors: [] }),
  // Without a list of errors esbuild itself has ended, at a limit.
  (error) => (error.errors ? end({ errors: error.errors }) : process.exit(1)),
);
`;
