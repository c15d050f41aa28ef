import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Minutes that the longest files take beside two others; all else takes less than three. Only their order matters:
 * a file that is begun last and takes long keeps one processor and leaves the other without work.
 */
const MINUTES: Readonly<Record<string, number>> = {
  'test/catalog/catalog.test.ts': 12,
  'test/guides/add-a-step-kind.test.ts': 11,
  'test/pairs/pairs.test.ts': 10,
  'test/end-to-end/postgres-upgrade.test.ts': 9,
  'test/guides/adding-a-taskserv.test.ts': 9,
  'test/end-to-end/clouds.test.ts': 8,
  'test/chaos/chaos.test.ts': 7.5,
  'test/end-to-end/rolling-update.test.ts': 7,
  'test/end-to-end/drift.test.ts': 7,
  'test/end-to-end/app-source.test.ts': 6.5,
  'test/end-to-end/domain.test.ts': 6,
  'test/input/bad-inputs.test.ts': 5.5,
  'test/end-to-end/product.test.ts': 5.5,
  'test/end-to-end/local-hosts.test.ts': 5,
  'test/end-to-end/air-gapped.test.ts': 4.5,
  'test/end-to-end/tls-by-acme.test.ts': 4.5,
  'test/clouds/wrong-input.test.ts': 4.5,
  'test/workflows/continued.test.ts': 4.4,
  'test/workflows/backup.test.ts': 4.3,
  'test/workflows/boundaries.test.ts': 4.1,
  'test/pairs/stopped-postgres.test.ts': 3.6,
  'test/workflows/recover.test.ts': 3.3,
  'test/end-to-end/upgrade.test.ts': 3.2,
  'test/end-to-end/status.test.ts': 3.1,
  'test/workflows/forgotten.test.ts': 3.1,
  'test/workflows/fence.test.ts': 3.1,
};

/** Runs files that take long first, within each group of projects. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const minutesOf = ({ moduleId }: TestSpecification) => MINUTES[relative(this.ctx.config.root, moduleId)] ?? 0;
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => minutesOf(b) - minutesOf(a));
  }
}
