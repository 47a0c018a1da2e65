import type { WebResponse } from '#web/web-response.ts';

import { newOrganizationPath, organizationPath, teamPath } from '../kit/page-paths.ts';
import type { Forms } from '../kit/forms.ts';
import type { Perform } from '../kit/perform.ts';
import type { FormContext, WebContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';
import {
  showNewOrganization,
  showOrganizationSettings,
  showPeople,
  submitNewOrganization,
  submitOrganizationSettings,
  submitPeopleAct,
} from './organization.ts';
import { showTeam, submitTeamAct } from './team.ts';
import { showTeams, submitNewTeam } from './teams.ts';

const at = organizationPath(':org');

/** The pages of organizations, all of them for signed-in users. */
export const organizationPages: readonly (readonly [
  path: string,
  show: (context: WebContext & SignedIn) => Promise<WebResponse>,
])[] = [
  [newOrganizationPath, (context) => showNewOrganization(context)],
  [`${at}/people`, (context) => showPeople(context)],
  [`${at}/teams`, (context) => showTeams(context)],
  [`${at}/settings`, (context) => showOrganizationSettings(context)],
  [teamPath, (context) => showTeam(context)],
];

/** Their forms. */
export function organizationForms(perform: Perform): readonly Forms<FormContext & SignedIn>[] {
  return [
    [newOrganizationPath, ['create'], submitNewOrganization(perform)],
    [`${at}/people`, ['set', 'remove'], submitPeopleAct(perform)],
    [`${at}/settings`, ['update'], submitOrganizationSettings(perform)],
    [`${at}/teams`, ['create'], submitNewTeam(perform)],
    [
      teamPath,
      ['add-member', 'remove-member', 'add-repository', 'remove-repository', 'update', 'delete'],
      submitTeamAct(perform),
    ],
  ];
}
