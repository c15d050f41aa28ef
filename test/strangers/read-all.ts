import { readNamed } from '../../definition/languages/read-named.js';
import { problemText } from '../../definition/source/problem.js';

/** Reads the definitions in its arguments, and prints each result: the data, or its problems. */
const found: Record<string, unknown> = {};
const files = process.argv.slice(2).values();
const side = async () => {
  for (const file of files) {
    const source = await readNamed(file, 'none');
    found[file] = Array.isArray(source) ? source.map(problemText).join('\n') : source.value;
  }
};
await Promise.all(Array.from({ length: 4 }, side));
process.stdout.write(JSON.stringify(found));
