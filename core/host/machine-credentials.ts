/**
 * Networks in which clouds tell a machine its own credentials: no definition, build or application is let in there. AWS
 * answers by IPv6 outside of the link-local network.
 */
export const MACHINE_CREDENTIALS = ['169.254.0.0/16', 'fe80::/10', 'fd00:ec2::254/128'] as const;

/** Property of a systemd unit that closes them. It needs cgroup v2. */
export const NO_MACHINE_CREDENTIALS = `IPAddressDeny=${MACHINE_CREDENTIALS.join(' ')}`;
