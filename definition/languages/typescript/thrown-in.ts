import { SourceMap, type SourceMapPayload } from 'node:module';
import { relative, resolve } from 'node:path';
import type { Problem } from '../../source/problem.js';
import type { Place } from '../../source/source.js';
import { problemIn } from '../evaluation.js';
import { NO_REQUIRE } from './bundler.js';

interface Thrown {
  name: string;
  message: string;
  stack: string;
}

/** Converts an error that a program threw into a problem at its file and line. */
export function locateThrown(file: string, { name, message, stack }: Thrown, map: string): Problem {
  const first = (message.split('\n')[0] ?? '').replace(NO_REQUIRE, 'require');
  const suggestion = /^'(process|require|fetch|setTimeout|Buffer|module|__dirname|URL|Intl)' is not defined$/.test(first)
    ? 'a definition can only use the language and its own files; {{ env.NAME }} reads a variable that it lists in "env"'
    : undefined;
  const what = name === '' || name === 'Error' ? first : `${name}: ${first}`;
  return problemIn(file, `it threw an error: ${what || 'something without a text'}`, placeOf(stack, map, file), suggestion);
}

function placeOf(stack: string, map: string, file: string): Partial<Place> {
  const sources = new SourceMap(JSON.parse(map) as SourceMapPayload);
  for (const [, line = '1', column = '1'] of stack.matchAll(/\bdefinition\.js:(\d+)(?::(\d+))?/g)) {
    const entry = sources.findEntry(Number(line) - 1, Number(column) - 1);
    if (!('originalSource' in entry) || entry.originalSource.includes('provisioning-sdk.js')) continue;
    const path = resolve('/', entry.originalSource.replace(/^file:\/\//, ''));
    const same = path === resolve(file);
    return { line: entry.originalLine + 1, column: entry.originalColumn + 1, ...(same ? {} : { file: relative('', path) }) };
  }
  return {};
}
