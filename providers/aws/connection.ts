import type { CredentialSource, ProviderConnection } from '../../sdk/index.js';
import { adopt } from './account/adopt.js';
import { catalogOf } from './account/catalog.js';
import { deleteOther } from './account/others.js';
import { listOwned } from './account/owned.js';
import { listStrangers } from './account/strangers.js';
import { backupVerbs } from './backups.js';
import type { AwsConfig } from './config.js';
import { openAccount } from './ec2/account.js';
import { infraRegions } from './ec2/infra-regions.js';
import { openServers } from './ec2/servers.js';
import { networkVerbs } from './networks.js';
import { zoneVerbs } from './records.js';
import { createServer, waitForServer } from './servers/create.js';
import { deleteServer } from './servers/delete.js';
import { diffServer, listServers, readConsole, readServer } from './servers/describe.js';
import { powerServer } from './servers/power.js';
import { updateServer } from './servers/update.js';
import { volumeVerbs } from './volumes.js';

/** Connects to an AWS account, in the region of its configuration and in those of its infras. */
export async function connect(config: AwsConfig, outside: CredentialSource): Promise<ProviderConnection> {
  const account = await openAccount(config, outside);
  const regions = infraRegions(account);
  const servers = openServers(account, regions);
  return {
    servers: {
      list: (context) => listServers(servers, context),
      read: (name, context) => readServer(servers, name, context),
      diff: diffServer,
      create: (wanted, context) => createServer(servers, wanted, context),
      ready: (name, context) => waitForServer(servers, name, context),
      update: (wanted, context) => updateServer(servers, wanted, context),
      delete: (name, context) => deleteServer(servers, name, context),
    },
    power: (name, action, context) => powerServer(servers, name, action, context),
    console: (name, context) => readConsole(servers, name, context),
    networks: networkVerbs(account, regions),
    volumes: volumeVerbs(account, regions),
    records: zoneVerbs(account),
    owned: (context) => listOwned(account, context),
    strangers: (signal) => listStrangers(account, signal),
    adopt: (id, name, context) => adopt(account, regions, { id, name }, context),
    backups: backupVerbs(account, regions),
    others: { delete: (kind, name, context) => deleteOther(account, regions, { kind, name }, context) },
    catalog: catalogOf(account, await account.homeName()),
  };
}
