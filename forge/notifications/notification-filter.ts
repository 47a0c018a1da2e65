import { momentIn } from './timestamp-input.ts';
import type { NotificationFilter } from './notification.ts';

export function readFilter(query: URLSearchParams): NotificationFilter {
  return {
    all: query.get('all') === 'true',
    participating: query.get('participating') === 'true',
    since: momentIn(query, 'since'),
    before: momentIn(query, 'before'),
  };
}
