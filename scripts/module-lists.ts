/**
 * `npm run module-lists`: updates the lists of taskservs and providers in the pages, and the versions in the README of
 * each taskserv, from the registries.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { groupByKey } from '../core/grouped.js';
import type { ProviderRegistry, TaskservRegistry } from '../core/registry.js';
import type { Versions } from '../core/taskserv/taskserv.js';

interface Registries {
  taskservs: TaskservRegistry;
  providers: ProviderRegistry;
}

/** Content between `<!-- NAME -->` and `<!-- /NAME -->` of a page, by NAME. */
type Lists = Record<string, (registries: Registries) => string>;

const LISTS: Record<string, Lists> = {
  'README.md': {
    services: ({ taskservs }) => `${Object.keys(taskservs).length} services in ${byCategory(taskservs).length} categories`,
    providers: ({ providers }) => `${Object.keys(providers).length} providers`,
  },
  'docs/start/features.md': {
    taskservs: ({ taskservs }) =>
      [
        '\n\n| category | services |',
        '| --- | --- |',
        ...byCategory(taskservs).map(
          ([category, all]) =>
            `| ${category} | ${all.map(({ name }) => `[${name}](../../taskservs/${name}/README.md)`).join(', ')} |`,
        ),
        '\n',
      ].join('\n'),
  },
  'docs/reference/glossary.md': {
    providers: ({ providers }) =>
      Object.keys(providers)
        .sort()
        .map((name) => `\`${name}\``)
        .join(', '),
    taskservs: ({ taskservs }) =>
      [
        '\n\n| category | taskserv | what it is |',
        '| --- | --- | --- |',
        ...byCategory(taskservs).flatMap(([category, all]) =>
          all.map(
            ({ name, description }) => `| \`${category}\` | [${name}](../../taskservs/${name}/README.md) | ${cell(description)} |`,
          ),
        ),
        '\n',
      ].join('\n'),
  },
  'docs/start/comparison.md': {
    counts: ({ providers, taskservs }) => `${Object.keys(providers).length} providers, ${Object.keys(taskservs).length} taskservs`,
  },
};

function byCategory(taskservs: TaskservRegistry): [string, TaskservRegistry[string][]][] {
  const groups = groupByKey(Object.values(taskservs), ({ category }) => category);
  const order = (a: string, b: string) => (a < b ? -1 : 1);
  return [...groups]
    .sort(([a], [b]) => order(a, b))
    .map(([category, all]) => [category, all.sort((a, b) => order(a.name, b.name))]);
}

/** Returns the README of each taskserv whose version depends on the host's release. */
const versionLists = ({ taskservs }: Registries): [string, Lists][] =>
  Object.values(taskservs).flatMap(({ name, versions: { releases } }): [string, Lists][] =>
    releases ? [[`taskservs/${name}/README.md`, { versions: () => versionsByRelease(releases) }]] : [],
  );

/** Returns `7.0 on Debian 12, 8.0 on Debian 13`, or `2.6 on Debian 12 and 13`. */
function versionsByRelease(releases: NonNullable<Versions['releases']>): string {
  const held = groupByKey(Object.entries(releases), ([, version]) => version ?? 'none');
  return [...held].map(([version, all]) => `${version} on ${releaseNames(all.map(([release]) => release))}`).join(', ');
}

/** Returns `Debian 12 and 13`. */
function releaseNames(releases: readonly string[]): string {
  const numbers = groupByKey(
    releases.map((release) => release.split('-')),
    ([distribution = '']) => distribution,
  );
  return [...numbers]
    .map(([name, all]) => `${name.charAt(0).toUpperCase()}${name.slice(1)} ${all.map(([, number]) => number).join(' and ')}`)
    .join(', ');
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** Returns the pages with lists, each with its expected text. Throws if a page lacks the marks of a list. */
export async function pagesWithLists(root: string): Promise<{ page: string; was: string; wanted: string }[]> {
  const registryOf = (room: string) => import(pathToFileURL(join(root, room, 'registry.generated.ts')).href);
  const registries: Registries = { ...(await registryOf('taskservs')), ...(await registryOf('providers')) };
  return [...Object.entries(LISTS), ...versionLists(registries)]
    .filter(([page]) => existsSync(join(root, page)))
    .map(([page, lists]) => {
      const was = readFileSync(join(root, page), 'utf8');
      const wanted = Object.entries(lists).reduce((text, [name, list]) => between(text, name, list(registries), page), was);
      return { page, was, wanted };
    });
}

function between(text: string, name: string, list: string, page: string): string {
  const [before, rest] = cut(text, `<!-- ${name} -->`);
  const [, after] = cut(rest, `<!-- /${name} -->`);
  if (after === undefined) throw new Error(`${page} has no <!-- ${name} --> … <!-- /${name} -->`);
  return `${before}<!-- ${name} -->${list}<!-- /${name} -->${after}`;
}

function cut(text: string | undefined, mark: string): [string | undefined, string | undefined] {
  const at = text?.indexOf(mark) ?? -1;
  return at < 0 ? [text, undefined] : [text?.slice(0, at), text?.slice(at + mark.length)];
}

/** Rewrites pages whose lists are out of date, and returns them. */
export async function updateLists(root: string): Promise<string[]> {
  const stale = (await pagesWithLists(root)).filter(({ was, wanted }) => was !== wanted);
  for (const { page, wanted } of stale) writeFileSync(join(root, page), wanted);
  return stale.map(({ page }) => page);
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const page of await updateLists(fileURLToPath(new URL('..', import.meta.url)))) console.log(`updated ${page}`);
