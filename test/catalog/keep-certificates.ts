import { parseGeneratedReference } from '../../definition/generated-reference.js';
import { createMaker } from '../../secrets/generate/makers.js';
import { openSecrets } from '../../stores/open-secrets.js';
import type { TestEngine } from '../support/engine.js';

type Written = Record<string, unknown>;

/** Generates the certificates of a configuration. The submitting process generates them, not the worker. */
export async function keepCertificates({ home, env }: TestEngine, infra: string, config: Written): Promise<void> {
  const wanted = certificatesIn(config);
  if (wanted.length === 0) return;
  const { secrets, close } = await openSecrets(home, env);
  try {
    for (const written of wanted) {
      const found = parseGeneratedReference(written, { workspace: 'default', infra }, '');
      if (!('kept' in found)) throw new Error(found.message);
      await secrets.ensureGenerated(found.kept, await createMaker(secrets, found.kept, found.recipe));
    }
  } finally {
    await close();
  }
}

/** Sets secrets of an infra, like `secret set`. */
export async function keepSecrets(
  { home, env }: TestEngine,
  infra: string,
  given: Readonly<Record<string, string>> = {},
): Promise<void> {
  if (Object.keys(given).length === 0) return;
  const { secrets, close } = await openSecrets(home, env);
  try {
    const own = secrets.within({ workspace: 'default', infra });
    for (const [name, value] of Object.entries(given)) await own.set(name, value);
  } finally {
    await close();
  }
}

function certificatesIn(value: unknown): Written[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('generate' in value && value.generate === 'certificate') return [value as Written];
  return Object.values(value).flatMap(certificatesIn);
}
