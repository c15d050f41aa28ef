import * as z from 'zod';
import {
  artifactsIn,
  debian,
  defineTaskserv,
  ensureArtifact,
  ensurePackage,
  type Fact,
  type FoundArtifact,
  type FoundPackage,
  fact,
  locateApp,
  type Step,
  sh,
  splitPath,
  text,
} from '../../sdk/index.js';
import { variablesFile } from '../app/env-file.js';
import { appName } from '../app/fields.js';
import { buildKey, locateBuiltFile, nameOfSource, sourceArchive } from '../app/release.js';
import { build, source } from '../app/source-config.js';
import { buildScript, secretsToRefuse, stopBuild } from './build-script.js';

const config = z
  .strictObject({
    name: appName().describe('Name of the application'),
    source: source.describe('Source of the build'),
    build: build.describe('How'),
    keep: z.int().min(0).max(50).default(2).describe('Number of former builds to keep'),
  })
  .meta({
    examples: [{ name: 'shop', source: { git: 'https://git.example.org/shop.git', ref: 'main' }, build: { run: ['make'] } }],
  });

type BuildFacts = {
  /** Keys of what was built here, the last one first. */
  built: Fact<string[]>;
  /** Sources that lie here: only while one is built. */
  sources: Fact<FoundArtifact[]>;
  [package_: `package ${string}`]: Fact<FoundPackage>;
};

const sourcesOf = (name: string): string => `${locateApp(name).builds}/sources`;

/** @param name of the taskserv: each instance of `app` has its own */
const buildOf = (name: string) =>
  defineTaskserv({
    name,
    category: 'applications',
    holds: [],
    description: 'Builds the releases of an application once, for all servers that run it; added by an `app` with `build`.',
    versions: { default: '1', supported: ['1'], source: 'own' },
    config,
    uses: () => [],
    facts: ({ name, build }): BuildFacts => ({
      built: fact(
        sh`ls -t -- ${locateApp(name).builds}/*/release.tar.gz 2>/dev/null | sed 's|/release.tar.gz$||; s|.*/||'`,
        ({ stdout }) => stdout.split('\n').filter(Boolean),
        [],
      ),
      sources: artifactsIn(sourcesOf(name)),
      ...Object.fromEntries(build.packages.map((one) => [`package ${one}`, debian(one)])),
    }),
    installed: ({ built }) => (built.length > 0 ? '1' : undefined),

    plan({ name, source, build, keep }, found) {
      const key = buildKey(source, build);
      const to = locateBuiltFile(name, key);
      const isBuilt = found.built.includes(key);
      const refused = secretsToRefuse(build);
      const archive = { ...sourceArchive(source), to: `${sourcesOf(name)}/${key}`, as: 'source.tar.gz' };
      const steps: Step[] = isBuilt
        ? []
        : [
            ...build.packages.flatMap((one) => ensurePackage(found[`package ${one}`] ?? { name: one })),
            { title: `Make ${locateApp(name).builds}`, directory: { path: locateApp(name).builds, mode: '0700' } },
            ...ensureArtifact(found.sources, archive).map((step) => ({ ...step, title: `Bring the source: ${archive.url}` })),
            {
              title: `Build ${archive.url}`,
              run: buildScript({ name, source: `${archive.to}/source.tar.gz`, to, build }),
              stdin: text`${variablesFile(build.env)}`,
              ...(Object.keys(refused).length > 0 && { env: refused }),
              undo: `${stopBuild(name)}\n${sh`rm -rf -- ${splitPath(to).folder}`}`,
            },
          ];
      // The targets keep the build. Here it only saves the time of another build.
      const former = found.built.filter((one) => one !== key).slice(keep);
      return [
        ...steps,
        ...[...(isBuilt ? [] : [archive]), ...found.sources.filter((one) => one.to !== archive.to)].map((one) => ({
          title: `Remove the source of ${nameOfSource(source)}`,
          run: sh`rm -rf -- ${one.to}`,
          undo: ':',
        })),
        ...former.map((one) => ({
          title: `Remove the build ${one.slice(0, 6)}`,
          run: sh`rm -rf -- ${splitPath(locateBuiltFile(name, one)).folder}`,
          undo: ':',
        })),
      ];
    },

    health: ({ name, source, build }) => [
      { title: `${name} is built`, command: sh`test -s ${locateBuiltFile(name, buildKey(source, build))}` },
    ],

    remove: ({ name }, found) =>
      found.built.length + found.sources.length === 0
        ? []
        : [{ title: `Remove what was built of ${name}`, run: sh`rm -rf -- ${locateApp(name).builds}`, undo: ':' }],
  });

/** Builds the releases of an application, on one server for all that run it. */
export const appBuild = {
  ...buildOf('app-build'),
  instance: (name: string) => buildOf(`app-build@${name}`),
};
