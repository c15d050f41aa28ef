import type { AnyMethod } from '../method.js';
import { accessOfSecret } from '../methods/secrets/access.js';
import { checkPairs } from '../methods/secrets/check-pairs.js';
import { deleteSecret } from '../methods/secrets/delete.js';
import { exportSecrets } from '../methods/secrets/export.js';
import { getSecret } from '../methods/secrets/get.js';
import { historyOfSecret } from '../methods/secrets/history.js';
import { importTheSecrets } from '../methods/secrets/import.js';
import { keepSecrets } from '../methods/secrets/keep.js';
import { listTheSecrets } from '../methods/secrets/list.js';
import { rollbackSecret } from '../methods/secrets/rollback.js';
import { rotateTheSecret } from '../methods/secrets/rotate.js';
import { setSecret } from '../methods/secrets/set.js';
import { usageOfSecret } from '../methods/secrets/usage.js';
import type { METHODS } from '../methods.generated.js';

/** The methods of secrets that need no engine. A command that runs one of them locally loads no other methods. */
export const SECRET_METHODS = {
  'secrets.access': accessOfSecret,
  'secrets.checkPairs': checkPairs,
  'secrets.delete': deleteSecret,
  'secrets.export': exportSecrets,
  'secrets.get': getSecret,
  'secrets.history': historyOfSecret,
  'secrets.import': importTheSecrets,
  'secrets.keep': keepSecrets,
  'secrets.list': listTheSecrets,
  'secrets.rollback': rollbackSecret,
  'secrets.rotate': rotateTheSecret,
  'secrets.set': setSecret,
  'secrets.usage': usageOfSecret,
} as const satisfies Record<Exclude<Extract<keyof typeof METHODS, `secrets.${string}`>, 'secrets.apply'>, AnyMethod>;
