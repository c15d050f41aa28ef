/** The list of members, as ZooKeeper keeps it. Belongs to its user. */
export const CLUSTER = '/var/lib/zookeeper/cluster';

/** The administrator's password of the running member, and its hash. Belongs to root. */
export const ADMIN = '/run/provisioning-zookeeper';

/** The identity of the cluster, once this member has a vote. */
export const GROUP = `${CLUSTER}/group`;

/** Marks a member that founds a cluster, until the cluster has an identity of its own. */
export const FOUNDING = `${CLUSTER}/founding`;
