import type { Outside, ProviderConnection } from '../../sdk/index.js';
import { adopt } from './account/adopt.js';
import { catalogOf } from './account/catalog.js';
import { deleteOther } from './account/others.js';
import { listOwned } from './account/owned.js';
import { listStrangers } from './account/strangers.js';
import { backupVerbs } from './backups.js';
import type { AwsConfig } from './config.js';
import { openAccount } from './ec2/account.js';
import { infraRegions } from './ec2/infra-regions.js';
import { networkVerbs } from './networks.js';
import { serverVerbs } from './servers.js';
import { volumeVerbs } from './volumes.js';

/** An account of AWS, in the region of its configuration and those of its infras. */
export async function connect(config: AwsConfig, outside: Outside): Promise<ProviderConnection> {
  const account = await openAccount(config, outside);
  const regions = infraRegions(account);
  const { power, console, ...servers } = serverVerbs(account, regions);
  return {
    servers,
    power,
    console,
    networks: networkVerbs(account, regions),
    volumes: volumeVerbs(account, regions),
    owned: (context) => listOwned(account, context),
    strangers: (signal) => listStrangers(account, signal),
    adopt: (id, name, context) => adopt(account, regions, { id, name }, context),
    backups: backupVerbs(account, regions),
    others: { delete: (kind, name, context) => deleteOther(account, regions, { kind, name }, context) },
    catalog: catalogOf(account, await account.homeName()),
  };
}
