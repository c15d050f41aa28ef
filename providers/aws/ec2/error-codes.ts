import { type Blame, TRANSIENT } from '../../../sdk/index.js';

export interface Meaning {
  code: string;
  blame: Blame;
  hint?: string;
  /** Pause in milliseconds if AWS names none: it refills its token bucket every second. */
  pauseMs?: number;
}

const CREDENTIALS = 'check the access key, its session and the machine’s clock; `provisioning provider check aws`';
const PERMISSION = 'let the policy of this user or role do it; `provisioning provider check aws` says what it may do';
const QUOTA = 'delete what is not needed, or ask AWS for a higher quota (Service Quotas)';
const THROTTLED: Meaning = { code: 'rate-limited', blame: TRANSIENT, pauseMs: 2_000 };

const user = (code: string, hint?: string): Meaning => ({ code, blame: 'user', ...(hint ? { hint } : {}) });
const transient = (code: string): Meaning => ({ code, blame: TRANSIENT });
const each = (names: string, meaning: Meaning): Record<string, Meaning> =>
  Object.fromEntries(names.split(' ').map((name) => [name, meaning]));

/** Meanings of AWS's error codes. Other codes are judged by their HTTP status. */
export const MEANINGS: Readonly<Record<string, Meaning>> = {
  ...each(
    'AuthFailure InvalidClientTokenId MissingAuthenticationToken IncompleteSignature SignatureDoesNotMatch UnrecognizedClientException ExpiredToken ExpiredTokenException RequestExpired InvalidAccessKeyId PendingVerification',
    user('credentials', CREDENTIALS),
  ),
  ...each(
    'Blocked OptInRequired',
    user('credentials', 'look at the account in the AWS console: it may not use this service or region'),
  ),
  ...each(
    'UnauthorizedOperation AccessDenied AccessDeniedException UnauthorizedException Client.UnauthorizedOperation',
    user('not-permitted', PERMISSION),
  ),
  OperationNotPermitted: user('protected', 'turn off its protection against termination in the AWS console'),

  ...each(
    'RequestLimitExceeded Throttling ThrottlingException RequestThrottled RequestThrottledException TooManyRequestsException EC2ThrottledException',
    THROTTLED,
  ),
  ...each('BandwidthLimitExceeded SlowDown', THROTTLED),

  ...each(
    'InstanceLimitExceeded VcpuLimitExceeded MaxSpotInstanceCountExceeded VolumeLimitExceeded MaxIOPSLimitExceeded AddressLimitExceeded VpcLimitExceeded SubnetLimitExceeded InternetGatewayLimitExceeded SecurityGroupLimitExceeded RulesPerSecurityGroupLimitExceeded SecurityGroupsPerInstanceLimitExceeded SecurityGroupsPerInterfaceLimitExceeded RouteTableLimitExceeded RouteLimitExceeded NetworkInterfaceLimitExceeded PlacementGroupLimitExceeded TagLimitExceeded AttachmentLimitExceeded ResourceLimitExceeded InsufficientFreeAddressesInSubnet PrivateIpAddressLimitExceeded SnapshotLimitExceeded KeyPairLimitExceeded LimitExceededException',
    user('quota-exceeded', QUOTA),
  ),

  ...each(
    'InvalidInstanceType InvalidInstanceType.NotFound InstanceTypeNotSupported',
    user('unknown-plan', '`provisioning provider plans aws` lists those there are'),
  ),
  ...each(
    'Unsupported UnsupportedOperation UnsupportedInstanceTypeOnHost',
    user('plan-not-in-zone', 'another zone, or another plan: `provisioning provider plans aws`'),
  ),
  ...each(
    'UnsupportedTenancy UnknownVolumeType InvalidAvailabilityZone.NotFound',
    user('unknown-zone', '`provisioning provider zones aws` lists those there are'),
  ),
  ...each(
    'InvalidZone.NotFound InvalidAvailabilityZone InvalidRegion.NotFound',
    user('unknown-zone', '`provisioning provider zones aws` lists those there are'),
  ),
  ...each(
    'InvalidAMIID.NotFound InvalidAMIID.Malformed InvalidAMIID.Unavailable InvalidAMIAttributeItemValue InvalidAMIName.Malformed ImageNotImported',
    user('unknown-image', '`provisioning provider images aws` lists those there are'),
  ),
  ...each(
    'InvalidBlockDeviceMapping InvalidSnapshot.NotFound',
    user('volume-too-small', 'an image needs at least the disk that it was made with'),
  ),

  ...each(
    'InvalidVpcRange InvalidSubnet.Range InvalidCidrBlock',
    user('network-range', 'a range from /16 to /25, such as 10.20.0.0/16'),
  ),
  ...each('InvalidSubnet.Conflict NetworkInterfaceConflict', user('network-overlap', 'a range that nothing else in the VPC has')),
  ...each('InvalidVpcID.NotFound InvalidVpcId.Malformed InvalidVpcID.Malformed', user('network-missing')),
  ...each('InvalidSubnetID.NotFound InvalidSubnetId.Malformed InvalidSubnetID.Malformed', user('network-missing')),
  ...each('PriorRequestNotComplete', transient('aws-not-settled')),
  ...each('InvalidChangeBatch', transient('records-changed')),
  ...each('NoSuchHostedZone', transient('aws-not-settled')),
  ...each('DependencyViolation', transient('network-in-use')),

  ...each(
    'InvalidGroup.Duplicate InvalidKeyPair.Duplicate InvalidPlacementGroup.Duplicate',
    user('name-taken', 'delete it in the AWS console, or choose another name for the infra'),
  ),
  ...each(
    'InvalidGroup.NotFound InvalidGroupId.Malformed InvalidGroup.InUse InvalidPlacementGroup.Unknown InvalidPlacementGroup.InUse',
    transient('aws-not-settled'),
  ),
  ...each(
    'InvalidInstanceID.NotFound InvalidPermission.Duplicate InvalidPermission.NotFound Resource.AlreadyAssociated RouteAlreadyExists Gateway.NotAttached InvalidVolume.NotFound InvalidAllocationID.NotFound InvalidAddressID.NotFound InvalidAddress.NotFound InvalidInternetGatewayID.NotFound InvalidRouteTableID.NotFound InvalidNetworkInterfaceID.NotFound InvalidAssociationID.NotFound InvalidID',
    transient('aws-not-settled'),
  ),
  ...each(
    'IncorrectInstanceState IncorrectState IncorrectSpotRequestState InvalidInstanceID InvalidIPAddress.InUse VolumeInUse IncorrectModificationState ConcurrentTagAccess ConcurrentCreateRouteAssociation ResourceCountExceeded OperationInProgress IdempotentParameterMismatch IdempotentInstanceTerminated InvalidState IncorrectStateException',
    transient('aws-not-settled'),
  ),
  VolumeModificationRateExceeded: user(
    'volume-changed-recently',
    'AWS lets a volume be changed once in six hours: wait, then run it again',
  ),
  VolumeModificationSizeLimitExceeded: user('quota-exceeded', QUOTA),
  InvalidVolumeSize: user('volume-size', 'a gp3 volume has from 1 GiB to 16 TiB'),

  ...each(
    'InsufficientInstanceCapacity InsufficientHostCapacity InsufficientCapacity InsufficientReservedInstanceCapacity InsufficientCapacityOnHost InsufficientVolumeCapacity InsufficientAddressCapacity',
    transient('no-capacity'),
  ),
  ...each(
    'InternalError InternalFailure InternalServerError Server.InternalError ServiceUnavailable Unavailable RequestTimeout RequestTimeoutException',
    transient('aws-failed'),
  ),

  ...each(
    'InvalidKeyPair.NotFound InvalidKeyPair.Format InvalidParameter InvalidParameterValue InvalidParameterCombination MissingParameter UnknownParameter ValidationError MalformedQueryString InvalidAction InvalidRequest InvalidQueryParameter InvalidFilter InvalidUserData.Malformed InvalidTagKey.Malformed FilterLimitExceeded',
    { code: 'aws-misasked', blame: 'bug' },
  ),
};
