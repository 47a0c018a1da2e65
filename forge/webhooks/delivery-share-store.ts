import { placeholders } from '../accounts/account-store.ts';

/** How many deliveries are attempted at once: to one webhook by all servers together, and how many more by this one. */
export interface ClaimLimits {
  readonly toOne: number;
  readonly inAll: number;
}

/** Who claims. */
export interface Claimant {
  readonly serverId: string;
  readonly now: number;
  readonly most: ClaimLimits;
  /** The deliveries that it attempts, each with the owner of its webhook, also of those that were deleted meanwhile. */
  readonly held: ReadonlyMap<number, number>;
}

/** Opaque to planners, which would otherwise collect and sort everything that is due. */
export const isDue = '(due_at > $1 and due_at <= $2) is false';

/** The account whose repository or App has the webhook `w`. */
export const ownerOfWebhook = `coalesce(
  (select owner_id from repositories where id = w.repository_id), (select owner_id from apps where id = w.app_id))`;

/** A part of a statement, and its parameters: always as many, since each connection plans and keeps every text that it is given. */
interface Fragment {
  readonly text: string;
  readonly values: readonly number[];
}

/** Ids for a list, which no other row has where they are too few. */
function padded(ids: readonly number[], multiple = 32): number[] {
  const count = Math.ceil(ids.length / multiple) * multiple;
  return Array.from({ length: count }, (_, index) => ids[index] ?? 0);
}

/** A condition that leaves out deliveries. */
export function exceptFor(ids: Iterable<number>, first: number): Fragment {
  const values = padded([...ids]);
  const text = values.length === 0 ? '' : `and id not in (${placeholders(values.length, first)})`;
  return { text, values };
}

/** How many deliveries this server attempts to the webhooks of `owner_id`. */
export function heldOfOwner(held: Claimant['held'], first: number): Fragment {
  const counts = [...Map.groupBy(held.values(), (ownerId) => ownerId)];
  const owners = padded(
    counts.map(([ownerId]) => ownerId),
    8,
  );
  if (owners.length === 0) return { text: '0', values: [] };
  const cases = owners.map(
    (_, index) => `when $${first + 2 * index} then $${first + 2 * index + 1}`,
  );
  const values = owners.flatMap((ownerId, index) => [ownerId, counts[index]?.[1].length ?? 0]);
  return { text: `case owner_id ${cases.join(' ')} else 0 end`, values };
}

/**
 * How many deliveries are under way, by webhook: those that some server attempts, or will within its lease, and those that this server
 * attempts although their leases have expired, since another claim would discard their outcomes.
 */
export function underWay(held: readonly number[], first: number): string {
  const all = 'select webhook_id from webhook_deliveries where due_at is not null';
  const claimed = `${all} and claimed_by is not null and due_at > $1 and due_at <= $2`;
  const expired = `${all} and id in (${placeholders(held.length, first)}) and ${isDue}`;
  const rows = held.length === 0 ? claimed : `${claimed} union all ${expired}`;
  return `under_way as materialized (select webhook_id, count(*) as count from (${rows}) r group by webhook_id)`;
}

/**
 * Of candidates with an owner and an order, those that this server may attempt: in turn by owner, beginning with the owner of which it
 * attempts the fewest, and of no owner more than are free before the last of them. So the receivers of one owner that never answer leave
 * half of the attempts to others, and those of N owners one of N + 1 parts. Later candidates have no smaller share, and less is free.
 */
export function withinShares(candidates: string, order: string, held: Fragment): string {
  return `select id from (
    select id, share, row_number() over (order by share, ${order}) as rank_in_all from (
      select *, ${held.text} + row_number() over (partition by owner_id order by ${order}) as share from (${candidates}) c
    ) s
  ) p where share <= $4 - rank_in_all + 1 order by rank_in_all`;
}
