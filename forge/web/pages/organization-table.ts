import type { WebResponse } from '#web/web-response.ts';

import { newOrganizationAddress, organizationAddress, teamAddress } from '../kit/page-paths.ts';
import type { Perform } from '../kit/perform.ts';
import type { FormContext, WebContext } from '../kit/web-context.ts';
import type { SignedIn } from '../kit/with-session.ts';
import {
  showNewOrganization,
  showOrganizationSettings,
  showPeople,
  takeNewOrganization,
  takeOrganizationSettings,
  takePeopleAct,
} from './organization.ts';
import { showTeam, takeTeamAct } from './team.ts';
import { showTeams, takeNewTeam } from './teams.ts';

const at = organizationAddress(':org');

/** The pages of organizations, all of them for signed-in users. */
export const organizationPages: readonly (readonly [
  path: string,
  show: (context: WebContext & SignedIn) => Promise<WebResponse>,
])[] = [
  [newOrganizationAddress, (context) => showNewOrganization(context)],
  [`${at}/people`, (context) => showPeople(context)],
  [`${at}/teams`, (context) => showTeams(context)],
  [`${at}/settings`, (context) => showOrganizationSettings(context)],
  [teamAddress, (context) => showTeam(context)],
];

/** The targets of their forms. */
export function organizationForms(
  perform: Perform,
): readonly (readonly [
  path: string,
  take: (context: FormContext & SignedIn) => Promise<WebResponse>,
])[] {
  return [
    [`${newOrganizationAddress}/:act`, takeNewOrganization(perform)],
    [`${at}/people/:act`, takePeopleAct(perform)],
    [`${at}/settings/:act`, takeOrganizationSettings(perform)],
    [`${at}/teams/:act`, takeNewTeam(perform)],
    [`${teamAddress}/:act`, takeTeamAct(perform)],
  ];
}
