import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { tarOf } from './archive.js';

const run = promisify(execFile);

const KEPT = join(import.meta.dirname, '../../../node_modules/.cache/jars');

function writePom(jars: readonly string[]): string {
  const dependencies = jars.map((one) => {
    const [group, name, version] = one.split(':');
    return `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version></dependency>`;
  });
  return `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>test</groupId><artifactId>jars</artifactId><version>1</version>
<dependencies>${dependencies.join('\n')}</dependencies></project>`;
}

/**
 * Returns a `.tar.gz` of Java libraries with all that they need, in `FOLDER/libs`. Maven fetches them once; the archive is
 * cached.
 *
 * @param jars `GROUP:NAME:VERSION`
 * @throws Error if Maven is not there, or cannot fetch them
 */
export async function packJars(folder: string, jars: readonly string[]): Promise<Buffer> {
  const key = createHash('sha256')
    .update([folder, ...jars].join(' '))
    .digest('hex')
    .slice(0, 16);
  const kept = join(KEPT, `${key}.tar.gz`);
  if (existsSync(kept)) return readFile(kept);
  const aside = await mkdtemp(join(tmpdir(), 'jars-'));
  try {
    await writeFile(join(aside, 'pom.xml'), writePom(jars));
    const goal = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${join(aside, 'libs')}`];
    await run('mvn', ['-q', '-B', '-f', join(aside, 'pom.xml'), ...goal]).catch((error: Error) => {
      throw new Error(`left out: Maven cannot fetch ${jars.join(', ')}: ${error.message}`);
    });
    const names = await readdir(join(aside, 'libs'));
    const files = await Promise.all(
      names.map(async (name) => [`${folder}/libs/${name}`, { content: await readFile(join(aside, 'libs', name)) }] as const),
    );
    const archive = await tarOf(Object.fromEntries(files), folder);
    await mkdir(KEPT, { recursive: true });
    await writeFile(`${kept}.${process.pid}`, archive);
    await rename(`${kept}.${process.pid}`, kept);
    return archive;
  } finally {
    await rm(aside, { recursive: true });
  }
}
