import { accountOf } from './account.js';
import { firewallRulesOf } from './firewall-rules.js';
import { gatewaysOf } from './gateways.js';
import { hostsOf } from './hosts.js';
import { openHttp, type UpCloudOptions } from './http.js';
import { ipAddressesOf } from './ip-addresses.js';
import { loadBalancersOf } from './load-balancers.js';
import { networksOf } from './networks.js';
import { offerOf } from './offer.js';
import { routersOf } from './routers.js';
import { serverGroupsOf } from './server-groups.js';
import { serversOf } from './servers.js';
import { storagesOf } from './storages.js';
import { tagsOf } from './tags.js';
import { tokensOf } from './tokens.js';

/** A client of the UpCloud API 1.3. Every call throws `UpCloudError`, and is tried once. */
export function upcloudClient(options: UpCloudOptions) {
  const http = openHttp(options);
  return {
    servers: serversOf(http),
    storages: storagesOf(http),
    networks: networksOf(http),
    routers: routersOf(http),
    gateways: gatewaysOf(http),
    firewallRules: firewallRulesOf(http),
    ipAddresses: ipAddressesOf(http),
    serverGroups: serverGroupsOf(http),
    loadBalancers: loadBalancersOf(http),
    hosts: hostsOf(http),
    tags: tagsOf(http),
    offer: offerOf(http),
    account: accountOf(http),
    tokens: tokensOf(http),
    /** For what has no call of its own yet. */
    http,
  };
}
export type UpCloudClient = ReturnType<typeof upcloudClient>;
