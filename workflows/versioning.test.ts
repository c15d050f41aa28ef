import { expect, test } from 'vitest';
import * as workflows from './index.js';

test('all operations are pinned to the version that began them; the entity is not', () => {
  const pinned = Object.entries(workflows)
    .filter(([, workflow]) => typeof workflow === 'function' && 'workflowDefinitionOptions' in workflow)
    .map(([name]) => name);
  const operations = Object.keys(workflows).filter((name) => name !== 'infra');
  expect(pinned.sort()).toEqual(operations.sort());
});
