import { type Blame, TRANSIENT } from '../../../sdk/index.js';

/** Meaning of a vendor's code. */
export interface Meaning {
  code: string;
  blame: Blame;
  hint?: string;
}

const user = (code: string, hint?: string): Meaning => ({ code, blame: 'user', hint });

export const CREDENTIALS = user(
  'credentials',
  'check the token, or user name and password, and whether API access is on for this user',
);
export const NOT_PERMITTED = user(
  'not-permitted',
  'the account owner can allow it in the UpCloud control panel; `provisioning provider check upcloud`',
);
export const QUOTA = user(
  'quota-exceeded',
  'delete what is not needed, or ask UpCloud for a higher limit; `provisioning provider check upcloud`',
);
/** The resource is between two states, or has changed since the lookup: the next attempt looks again. */
export const NOT_SETTLED: Meaning = { code: 'upcloud-not-settled', blame: TRANSIENT };
export const FAILED: Meaning = { code: 'upcloud-failed', blame: TRANSIENT };
export const RATE_LIMITED: Meaning = { code: 'rate-limited', blame: TRANSIENT };
/** Our request was invalid. */
export const BUG: Meaning = { code: 'upcloud-refused', blame: 'bug' };

const NO_CAPACITY: Meaning = {
  code: 'no-capacity',
  blame: TRANSIENT,
  hint: 'UpCloud has no capacity in this zone at the moment: wait, or choose another zone or plan',
};
const ZONE = user('unknown-zone', '`provisioning provider zones upcloud` lists those there are');
const PLAN = user('unknown-plan', '`provisioning provider plans upcloud` lists those there are');
const NAME = user('name-not-allowed', 'letters, digits and dashes, at most 64 characters');
const LABEL = user('label-not-allowed', 'UpCloud takes keys of 2 to 32 and values of up to 255 printable characters');
const NAME_TAKEN = user(
  'name-taken',
  'something of that name is there, and is not ours: rename or delete it in the UpCloud control panel',
);

/** All codes that UpCloud documents or was seen to return, by meaning. */
const MEANINGS: readonly (readonly [Meaning, string])[] = [
  [CREDENTIALS, 'AUTHENTICATION_FAILED'],
  [
    NOT_PERMITTED,
    `ACCOUNT_FORBIDDEN ACTION_FORBIDDEN GROUP_FORBIDDEN HOST_FORBIDDEN INTERFACE_FORBIDDEN IP_ADDRESS_FORBIDDEN
    NETWORK_FORBIDDEN SERVER_FORBIDDEN STORAGE_FORBIDDEN TAG_FORBIDDEN ZONE_HOST_FORBIDDEN`,
  ],
  [QUOTA, 'IP_ADDRESS_LIMIT_REACHED MAXIOPS_STORAGE_LIMIT_REACHED SERVER_CORE_LIMIT_REACHED SERVER_MEMORY_LIMIT_REACHED'],
  [user('quota-exceeded', 'the account has no credits left: add some in the UpCloud control panel'), 'INSUFFICIENT_CREDITS'],
  [user('quota-exceeded', 'a trial account may not have this: upgrade it in the UpCloud control panel'), 'TRIAL_PLAN'],
  [user('quota-exceeded', 'a server takes 1,000 firewall rules: name wider ranges'), 'FIREWALL_RULE_LIMIT_REACHED'],
  [user('quota-exceeded', 'a server takes 16 disks: fewer volumes, or larger ones'), 'STORAGE_DEVICE_LIMIT_REACHED'],
  [user('quota-exceeded', 'a server takes five addresses of a kind'), 'SERVER_IP_LIMIT_REACHED'],
  [ZONE, 'ZONE_INVALID ZONE_MISSING ZONE_NOT_FOUND'],
  [user('unknown-zone', 'a server, its network and its volumes lie in one zone'), 'ZONE_MISMATCH'],
  [
    PLAN,
    `PLAN_INVALID PLAN_NOT_FOUND PLAN_CORE_NUMBER_ILLEGAL PLAN_MEMORY_AMOUNT_ILLEGAL CORE_MEMORY_UNSUPPORTED
    CORE_NUMBER_INVALID MEMORY_AMOUNT_INVALID`,
  ],
  [user('unknown-image', 'it cannot be had with this account: `provisioning provider images upcloud`'), 'WINDOWS_NOT_AVAILABLE'],
  [user('unknown-image', 'sign the licence agreement in the UpCloud control panel first'), 'MS_LMA_REQUIRED'],
  [user('volume-too-small', 'a volume has 1 to 4,096 GiB, at least as much as its image, and never shrinks'), 'SIZE_INVALID'],
  [user('network-range', 'a private IPv4 range, such as 10.20.0.0/24'), 'ADDRESS_INVALID'],
  [user('network-in-use', 'something that is not ours is in it: delete that first'), 'NETWORK_NOT_EMPTY'],
  [NAME, 'HOSTNAME_INVALID NAME_INVALID NETWORK_NAME_INVALID SERVER_TITLE_INVALID STORAGE_TITLE_INVALID TITLE_INVALID'],
  [LABEL, 'INVALID_LABEL_KEY INVALID_LABEL_VALUE DUPLICATE_LABEL_KEYS'],
  [NAME_TAKEN, 'DUPLICATE_RESOURCE RESOURCE_ALREADY_EXISTS SERVICE_EXISTS TAG_EXISTS'],

  [RATE_LIMITED, 'TOO_MANY_REQUESTS'],
  [{ ...NO_CAPACITY, hint: 'use fewer servers with the same placement, or another zone' }, 'STRICT_ANTI_AFFINITY_NOT_MET'],
  [NO_CAPACITY, 'SERVER_RESOURCES_UNAVAILABLE STORAGE_RESOURCES_UNAVAILABLE IP_ADDRESS_RESOURCES_UNAVAILABLE'],
  [
    NOT_SETTLED,
    // Too many creations at once; between two states; created or deleted a moment ago by an interrupted attempt.
    `SERVER_CREATING_LIMIT_REACHED
    SERVER_STATE_ILLEGAL STORAGE_STATE_ILLEGAL STORAGE_ATTACHED STORAGE_ATTACHED_AS_CDROM STORAGE_ATTACHED_AS_DISK
    STORAGE_IN_USE STORAGE_INCONSISTENT CDROM_DEVICE_IN_USE DEVICE_ADDRESS_IN_USE DEVICE_ADDRESS_NOT_IN_USE ADDRESS_ATTACHED
    ROUTER_ATTACHED HOT_RESIZE_NOT_ENABLED HOT_RESIZE_UNAVAILABLE
    ALREADY_IN_SERVER_GROUP FIREWALL_RULE_EXISTS INTERFACE_EXISTS
    SERVER_NOT_FOUND STORAGE_NOT_FOUND NETWORK_NOT_FOUND ROUTER_NOT_FOUND IP_ADDRESS_NOT_FOUND INTERFACE_NOT_FOUND
    FIREWALL_RULE_NOT_FOUND GROUP_NOT_FOUND HOST_NOT_FOUND TAG_NOT_FOUND RESOURCE_NOT_FOUND SERVICE_NOT_FOUND NO_STORAGES_ATTACHED`,
  ],
  [FAILED, 'RESIZE_FAILED HOTPLUG_FAILED FAILED_TO_ADD_MEMORY NO_AVAILABLE_MEMORY_SLOTS CDROM_EJECT_FAILED IMPORT_UNAVAILABLE'],

  [{ ...BUG, hint: 'check whether UPCLOUD_API_URL is the address of the UpCloud API' }, 'NOT_FOUND METHOD_NOT_ALLOWED'],
  [
    BUG,
    `ACTION_INVALID ACTION_MISSING ADDRESS_MISSING ADDRESS_OR_UUID_REQUIRED BACKUP_DELETION_POLICY_INVALID BACKUP_RULE_CONFLICT
    BACKUP_RULE_INVALID BOOT_ORDER_INVALID CANNOT_DELETE_PRIVATE_ADDRESS CAN_NOT_CREATE_PASSWORD_FOR_THE_SELECTED_DISTRIBUTION
    CDROM_HOTPLUG_UNSUPPORTED COMMENT_INVALID CREATE_PASSWORD_INVALID DESCRIPTION_INVALID DESTINATION_ADDRESS_END_INVALID
    DESTINATION_ADDRESS_ORDER_ILLEGAL DESTINATION_ADDRESS_START_INVALID DESTINATION_PORT_END_INVALID
    DESTINATION_PORT_ORDER_ILLEGAL DESTINATION_PORT_START_INVALID DIRECTION_INVALID DIRECTION_MISSING DUAL_STACK_INTERFACE
    DUPLICATE_ROUTE FIREWALL_INVALID FLOATING_IP_NOT_AVAILABLE GROUP_INVALID HOSTNAME_MISSING HOUR_INVALID HOUR_MISSING
    ICMP_TYPE_INVALID ICMP_TYPE_PROTOCOL_MISMATCH IDE_HOTPLUG_UNSUPPORTED INTERVAL_INVALID INTERVAL_MISSING INVALID_OPTIONS
    INVALID_REQUEST INVALID_ROUTE INVALID_ROUTE_FAMILY INVALID_USERNAME IP_ADDRESS_INVALID LOCAL_NETWORK_NO_ROUTER MAC_INVALID
    METADATA_DISABLED_ON_CLOUD-INIT MULTIPLE_TEMPLATES NETWORK_INVALID NETWORK_NAME_MISSING NETWORK_TYPE_INVALID
    NETWORK_TYPE_MISSING NEXTHOP_INVALID NIC_MODEL_INVALID NO_CDROM_DEVICE PASSWORD_DELIVERY_INVALID PORT_PROTOCOL_MISMATCH
    POSITION_INVALID PROTOCOL_INVALID PTR_RECORD_INVALID PTR_RECORD_NOT_SUPPORTED PUBLIC_STORAGE_ATTACH REQUEST_INVALID
    RETENTION_INVALID RETENTION_MISSING ROUTER_NAME_MISSING SERVER_INVALID SERVER_TITLE_MISSING SERVICE_ERROR
    SIMPLE_BACKUP_INVALID SIZE_MISSING SOURCE_ADDRESS_END_INVALID SOURCE_ADDRESS_ORDER_ILLEGAL SOURCE_ADDRESS_START_INVALID
    SOURCE_PORT_END_INVALID SOURCE_PORT_ORDER_ILLEGAL SOURCE_PORT_START_INVALID STATIC_ROUTE_LIMIT_REACHED
    STATIC_ROUTE_TARGET_INVALID STOP_TYPE_INVALID STORAGE_DELETION_POLICY_INVALID STORAGE_DEVICES_INVALID
    STORAGE_DEVICES_MISSING STORAGE_DEVICE_INVALID STORAGE_DEVICE_MISSING STORAGE_IMPORT_NOT_FOUND
    STORAGE_IMPORT_NOT_IN_PROGRESS STORAGE_INVALID STORAGE_MISSING STORAGE_TIER_ILLEGAL STORAGE_TITLE_MISSING
    STORAGE_TYPE_ILLEGAL TAG_INVALID TARGET_IDENTIFIER_INVALID TARGET_TYPE_INVALID TIER_INVALID TIMEOUT_ACTION_INVALID
    TIMEOUT_INVALID TIMEOUT_MISSING TIMEZONE_INVALID TITLE_MISSING TOO_MANY_BOOT_DISKS TYPE_INVALID UNABLE_TO_CANCEL
    UNKNOWN_ATTRIBUTE USER_DATA_INVALID VALIDATION_ERROR VIDEO_MODEL_INVALID VNC_INVALID VNC_PASSWORD_INVALID`,
  ],
  // Codes of unused products: databases, object storage, peerings, users.
  [
    BUG,
    `ACCESS_KEY_INVALID ACCESS_KEY_MISSING CONNECTION_POOL_NOT_FOUND DB_EXISTS DB_NOT_FOUND OBJECT_STORAGE_FORBIDDEN
    OBJECT_STORAGE_NOT_FOUND PEERING_ACCOUNT_INVALID PEERING_CONFLICT PEERING_NOT_DISABLED PEERING_NOT_FOUND
    PEER_NETWORK_NOT_FOUND SECRET_KEY_INVALID SECRET_KEY_MISSING USER_INVALID USER_NOT_FOUND`,
  ],
];

const entries = MEANINGS.flatMap(([meaning, codes]) => codes.split(/\s+/).map((code) => [code, meaning] as const));

/** Meanings by code. A test verifies that no code occurs twice. */
export const TABLE: ReadonlyMap<string, Meaning> = new Map(entries);
export const CODES: readonly string[] = entries.map(([code]) => code);
