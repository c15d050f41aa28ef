import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { enginePackage } from '../../workers/engine/binary/prebuilt-binary.js';
import type { Packed } from './pack-engine.js';
import { PLATFORMS } from './platforms.js';
import { tarball } from './tarball.js';

/**
 * Packs the built project for a registry that has its engines. It works like `npm pack` and adds the platform packages
 * of the same version as optional dependencies. npm installs the package for the machine, if one exists. The
 * repository's `package.json` does not list them: without published packages, no lock file can be created.
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
