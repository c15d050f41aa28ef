import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { enginePackage } from '../../workers/engine/binary/prebuilt-binary.js';
import type { Packed } from './pack-engine.js';
import { PLATFORMS } from './platforms.js';
import { tarball } from './tarball.js';

/**
 * Packs the built project for a registry that has its engines: as `npm pack` does, and its `package.json` names the
 * platform packages of the same version as optional dependencies. npm installs the one that fits the machine, and none
 * where none fits. The `package.json` of the repository does not name them: before they are published, a lock file
 * could not be made.
 *
 * @param root the checkout, built
 * @param out folder for the tarball
 */
export async function packProject(root: string, out: string): Promise<Packed> {
  const work = await mkdtemp(join(tmpdir(), 'pack-project-'));
  try {
    const packed = await execa('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', work], { cwd: root });
    const [{ filename, name, version }] = JSON.parse(packed.stdout);
    await execa('tar', ['-xzf', join(work, filename), '-C', work]);
    const path = join(work, 'package/package.json');
    const manifest = JSON.parse(await readFile(path, 'utf8'));
    const engines = Object.fromEntries(PLATFORMS.map((target) => [enginePackage(target), version]));
    manifest.optionalDependencies = { ...manifest.optionalDependencies, ...engines };
    await writeFile(path, `${JSON.stringify(manifest, null, 2)}\n`);
    const file = join(out, filename);
    await tarball(work, file);
    return { file, name, version };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
