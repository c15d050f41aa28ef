import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { ENGINE_BUILD } from '../../workers/engine/binary/engine-key.js';

const LICENSE = /^(licen[cs]e|copying|notice)([-.].*)?$/i;

/**
 * Returns the licenses of all modules that are compiled into the engine. They must be distributed with the binary.
 *
 * @param folder the sources of the engine
 * @throws Error if a module has no license file
 */
export async function licensesOf(go: string, folder: string, env: NodeJS.ProcessEnv): Promise<string> {
  const format = '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}';
  const listed = await execa(go, ['list', '-tags', ENGINE_BUILD.tags.join(), '-deps', '-f', format, '.'], {
    cwd: folder,
    env: { ...env, GOFLAGS: '-mod=readonly', GOWORK: 'off' },
  });
  const { stdout: goRoot } = await execa(go, ['env', 'GOROOT'], { env });
  const modules = [...new Set(listed.stdout.split('\n').filter(Boolean)), `Go\t${goRoot}`].sort();
  const texts: string[] = [];
  for (const [name = '', place = ''] of modules.map((line) => line.split('\t'))) {
    // Stand-ins for modules are our own code.
    if (place.startsWith(folder)) continue;
    const files = (await readdir(place)).filter((file) => LICENSE.test(file)).sort();
    // A module in a subfolder of a repository may have its license in the parent folder, outside of the module.
    if (files.length === 0) texts.push(`${name}: see the license of its repository\n`);
    for (const file of files) texts.push(`${name}: ${file}\n\n${(await readFile(join(place, file), 'utf8')).trim()}\n`);
  }
  return texts.join(`\n${'='.repeat(80)}\n\n`);
}
