import { invalidParameter } from '../errors/functions-error.ts';

/** The unpublished version answers to `$LATEST.PUBLISHED` here, so there is nothing that could be published to it. */
export function refusePublishTo(publishTo: string | undefined): void {
  if (publishTo === undefined) return;
  throw invalidParameter(
    `PublishTo ${publishTo} is not supported: $LATEST.PUBLISHED is the unpublished version. Omit PublishTo, and use Publish to publish a numbered version.`,
  );
}
