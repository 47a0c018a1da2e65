import { getFunction, updateFunctionCode } from '#functions-contract/operations/functions.ts';
import { button, fileField } from '#web/fields.ts';
import { codeLines } from '#web/code-lines.ts';
import { directionNoticeOf } from '#web/direction-notice.ts';
import { bytesText, html, type Html } from '#web/html.ts';
import { createPageForm, type RefusedForm } from '#web/page-form.ts';
import { formPage, looksLikeText, type WebResponse } from '#web/web-response.ts';

import type { ArchiveReader } from '../../code/zip/archive-reader.ts';
import { FunctionsError, invalidParameter } from '../../errors/functions-error.ts';
import { functionPath, functionRoute } from '../kit/paths.ts';
import type { ConsoleContext, ConsoleForm, ConsolePage } from '../kit/console-context.ts';
import { changedMeanwhile, type LockedValue, lockFields } from '../parts/changed-meanwhile.ts';
import { type FunctionConfiguration, functionHead } from '../parts/function-head.ts';
import { settingsOf } from '../parts/settings.ts';
import { variablesOf } from '../parts/variables.ts';

export const codePage: ConsolePage = {
  path: functionRoute('code'),
  show: showCode,
  acts: { upload: submitCode },
  uploads: ['upload'],
};

/** Files of a deployment package that a page lists. */
const filesMax = 500;
/** File of a deployment package that a page shows. */
const fileBytesMax = 256 * 1024;

async function showCode(context: ConsoleContext, refused?: RefusedForm): Promise<WebResponse> {
  const { run, path, query, user, ports } = context;
  const { name = '' } = path;
  const { Configuration = {}, Code = {} } = await run(getFunction)({ FunctionName: name });
  const pageUrl = functionPath(name, 'code');
  const form = createPageForm(pageUrl, user.secret, refused);
  const locked = lockedValues(Configuration);
  const head = html`${functionHead(Configuration, 'code')}
  ${changedMeanwhile(refused, locked).notice}`;
  if (Configuration.PackageType === 'Image') {
    return formPage(
      `Code · ${name}`,
      html`${head}
        <p>Container image <code>${Code.ImageUri}</code></p>`,
    );
  }
  const sha256 = Buffer.from(Configuration.CodeSha256 ?? '', 'base64').toString('hex');
  const file = query.get('file');
  const content = await ports.code.readArchive(sha256, (archive) =>
    file === null ? filesView(archive, pageUrl) : fileView(archive, file, pageUrl),
  );
  return formPage(
    `Code · ${name}`,
    html`${head} ${content}
      <p>
        <a class="button" href="${new URL(Code.Location ?? '').pathname}" download="${name}.zip"
          >Download zip (${bytesText(Configuration.CodeSize ?? 0)})</a
        >
      </p>
      <h2>Upload new code</h2>
      ${form.view(
        'upload',
        html`${lockFields(Configuration.RevisionId ?? '', locked)}
        ${fileField({ label: 'Zip archive', name: 'zip', accept: '.zip' })}
        ${button('Upload', 'primary')}`,
        'upload',
      )}`,
    refused?.status,
  );
}

/** What has the revision for which code is uploaded. */
function lockedValues(configuration: FunctionConfiguration): readonly LockedValue[] {
  const variables = JSON.stringify(Object.entries(variablesOf(configuration)));
  return [
    { name: 'code', label: 'SHA-256 of the code', value: configuration.CodeSha256 ?? '' },
    ...settingsOf(configuration).map((setting) => ({
      name: setting.name,
      label: setting.label,
      value: setting.read(configuration),
    })),
    { name: 'variables', label: 'Environment variables', value: variables, shown: 'changed' },
  ];
}

async function filesView({ entries }: ArchiveReader, pageUrl: string): Promise<Html> {
  const hiddenCount = entries.length - filesMax;
  return html`<ul class="rows">
      ${entries.slice(0, filesMax).map(
        ({ path, size, kind }) =>
          html`<li>
            <a class="grow" href="${pageUrl}?file=${encodeURIComponent(path)}">${path}</a>
            ${kind === 'link' ? html`<span class="mark">link</span>` : ''}
            <span class="soft">${bytesText(size)}</span>
          </li>`,
      )}
    </ul>
    ${hiddenCount > 0 ? html`<p class="soft">${hiddenCount} more files are not shown.</p>` : ''}`;
}

async function fileView(archive: ArchiveReader, path: string, pageUrl: string): Promise<Html> {
  const entry = archive.entries.find((each) => each.path === path);
  if (!entry) {
    throw new FunctionsError(
      'ResourceNotFoundException',
      `The deployment package has no file ${path}.`,
    );
  }
  const head = html`<h2><a class="crumb" href="${pageUrl}">Files</a> / ${path}</h2>`;
  if (entry.size > fileBytesMax) {
    return html`${head}
      <p class="empty">
        The file has ${bytesText(entry.size)}, too many for a page. Download the zip.
      </p>`;
  }
  const content = await archive.content(entry);
  if (!looksLikeText(content)) {
    return html`${head}
      <p class="empty">The file is binary: ${bytesText(entry.size)}. Download the zip.</p>`;
  }
  const lines = content.toString().split('\n');
  return html`${head} ${directionNoticeOf(lines)} ${codeLines(lines)}`;
}

async function submitCode({ run, path, form, files }: ConsoleForm): Promise<string> {
  const { name = '' } = path;
  const ZipFile = files.get('zip');
  if (!ZipFile) throw invalidParameter('Choose a zip archive.');
  const RevisionId = form.get('revision') ?? '';
  await run(updateFunctionCode)({ FunctionName: name, ZipFile, RevisionId });
  return functionPath(name);
}
