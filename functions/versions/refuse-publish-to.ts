import { invalidParameter } from '../errors/functions-error.ts';

/** `$LATEST.PUBLISHED` is the unpublished version here, so nothing can be published to it. */
export function refusePublishTo(publishTo: string | undefined): void {
  if (publishTo === undefined) return;
  throw invalidParameter(
    `PublishTo ${publishTo} is not supported: $LATEST.PUBLISHED is the unpublished version. Omit PublishTo, and use Publish to publish a numbered version.`,
  );
}
