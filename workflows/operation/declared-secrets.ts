import type { Definition } from '../../core/definition/definition.js';
import type { Inventory } from '../../core/infra/inventory.js';
import { findSecretRefs } from '../../core/taskserv/secret.js';

/**
 * Names of the secrets in a service's configuration, of the definition to apply and of the installed one. Its steps
 * may use only these.
 */
export function listDeclaredSecrets(
  inventory: Inventory,
  definition: Definition | undefined,
  server: string,
  taskserv: string,
): string[] {
  const wanted = definition?.servers.find(({ name }) => name === server)?.taskservs.find(({ name }) => name === taskserv);
  const installed = inventory.servers[server]?.services[taskserv];
  return [...new Set(findSecretRefs([wanted?.config, installed?.config]).map(({ name }) => name))].sort();
}
