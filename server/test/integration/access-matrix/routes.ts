// The access matrix: one row per route of the contract. A route without a row fails routes.test.ts.
import { ENDPOINTS } from '@countersign/shared/contract/endpoints';
import type { Endpoint } from '@countersign/shared/contract/endpoint';
import type { Ability, Role } from '@countersign/shared/enums';
import { makeWallet } from '../../client.ts';
import { PICTURE_URL } from '../support/test-services.ts';

interface Row {
  /** A valid body. `:id`, `:key_id` and the like stand for this project's own ids. */
  body?: object;
  /** What makes the body valid around an id that a test puts into it. */
  around?: object;
  query?: string;
  /** The route removes what other tests need: it runs on a project of its own. */
  ends?: true;
}

/**
 * The least privileged caller admitted: anybody, any session, a member by role (rule PM), a key, a signature. Anything above
 * reviewer is behind an ability of the project: a button that shows works.
 */
export type AccessRule = Row &
  (
    | { least: 'nobody' | 'anyone' | 'reviewer' | 'key' | 'bearer' | 'signature' }
    | { least: Exclude<Role, 'reviewer'>; behind: Ability }
  );

/** A test puts an ID into `people`. */
const SKILLS = { skills: [{ match: { flag: 'legal' }, people: [], after_minutes: 30 }] };

/** One row per endpoint, by its name in the contract. */
export const ACCESS_RULES: Record<string, AccessRule> = {
  challenge: { least: 'nobody' },
  verify: { least: 'nobody', body: {} },
  readMeta: { least: 'nobody' },
  readOpenApi: { least: 'nobody' },
  readSession: { least: 'anyone' },
  endSession: { least: 'anyone' },
  listSessions: { least: 'anyone' },
  endOneSession: { least: 'anyone' },
  endOtherSessions: { least: 'anyone' },
  listProjects: { least: 'anyone' },
  createProject: { least: 'anyone', body: { name: 'Mine' }, around: SKILLS },
  listChanges: { least: 'owner', behind: 'change_settings' },
  readContents: { least: 'owner', behind: 'manage_project' },
  archiveProject: { least: 'owner', behind: 'manage_project', ends: true },
  stopProject: { least: 'supervisor', behind: 'stop_project', body: { note: 'Odd answers' } },
  releaseProject: { least: 'supervisor', behind: 'stop_project' },
  // Reviewers read their own figures; those of another member are behind the ability.
  readPerson: { least: 'supervisor', behind: 'see_analytics' },
  readTeamView: { least: 'supervisor', behind: 'see_analytics' },
  restoreProject: { least: 'owner', behind: 'manage_project' },
  removeSamples: { least: 'owner', behind: 'manage_project' },
  deleteProject: { least: 'owner', behind: 'manage_project', ends: true },
  readProject: { least: 'reviewer' },
  readOnboarding: { least: 'reviewer' },
  readReadiness: { least: 'owner', behind: 'manage_keys' },
  hideReadiness: { least: 'owner', behind: 'manage_keys' },
  changeProject: { least: 'owner', behind: 'change_settings', body: { settings_version: 1 }, around: SKILLS },
  previewItem: {
    least: 'owner',
    behind: 'change_settings',
    body: { input: 'Is it open?', suggestion: 'Yes', confidence: 0.5 },
  },
  forecastSkills: {
    least: 'supervisor',
    behind: 'see_analytics',
    body: { skills: [], auto_threshold: 0.9, review_threshold: 0.7, below_review: 'queue', escalate_flags: [] },
  },
  listAnswers: { least: 'owner', behind: 'change_settings' },
  readGuidelines: { least: 'reviewer' },
  listGuidelinesVersions: { least: 'reviewer' },
  seeGuidelines: { least: 'reviewer', body: { version: 1 } },
  listGuidelinesNews: { least: 'anyone' },
  listApiKeys: { least: 'owner', behind: 'manage_keys' },
  createApiKey: { least: 'owner', behind: 'manage_keys' },
  revokeApiKey: { least: 'owner', behind: 'manage_keys' },
  rotateWebhookSecret: { least: 'owner', behind: 'manage_webhook' },
  promoteWebhookSecret: { least: 'owner', behind: 'manage_webhook' },
  readWebhook: { least: 'owner', behind: 'manage_webhook' },
  testWebhook: { least: 'owner', behind: 'manage_webhook', body: { url: 'http://127.0.0.1:1024/' } },
  listEndpoints: { least: 'owner', behind: 'manage_webhook' },
  createEndpoint: { least: 'owner', behind: 'manage_webhook', body: { url: 'http://127.0.0.1:1024/' } },
  changeEndpoint: { least: 'owner', behind: 'manage_webhook', body: { description: 'Warehouse' } },
  testEndpoint: { least: 'owner', behind: 'manage_webhook', body: { url: 'http://127.0.0.1:1024/' } },
  rotateEndpointSecret: { least: 'owner', behind: 'manage_webhook' },
  promoteEndpointSecret: { least: 'owner', behind: 'manage_webhook' },
  removeEndpoint: { least: 'owner', behind: 'manage_webhook' },
  listNotificationMessages: { least: 'owner', behind: 'manage_webhook' },
  testNotification: {
    least: 'owner',
    behind: 'manage_webhook',
    body: { kind: 'slack', url: 'http://127.0.0.1:1024/' },
  },
  resendNotificationMessage: { least: 'owner', behind: 'manage_webhook' },
  listMembers: { least: 'reviewer' },
  addMember: {
    least: 'owner',
    behind: 'manage_members',
    body: { address: makeWallet().address, role: 'reviewer' },
  },
  changeMember: { least: 'owner', behind: 'manage_members', body: { role: 'reviewer' } },
  removeMember: { least: 'owner', behind: 'manage_members' },
  listInvites: { least: 'owner', behind: 'manage_members' },
  createInvite: { least: 'owner', behind: 'manage_members', body: { role: 'reviewer' } },
  revokeInvite: { least: 'owner', behind: 'manage_members' },
  readInvite: { least: 'anyone' },
  acceptInvite: { least: 'anyone' },
  listOffers: { least: 'owner', behind: 'manage_members' },
  revokeOffer: { least: 'owner', behind: 'manage_members' },
  listOwnOffers: { least: 'anyone' },
  acceptOffer: { least: 'anyone' },
  declineOffer: { least: 'anyone' },
  listRefusedWallets: { least: 'anyone' },
  allowWallet: { least: 'anyone' },
  readAccount: { least: 'anyone' },
  changeAccount: { least: 'anyone', body: { direct_adding: false } },
  listQueue: { least: 'reviewer', query: 'project_id=:id' },
  claimNext: { least: 'reviewer', body: { project_id: ':id' } },
  claimBulk: {
    least: 'supervisor',
    behind: 'bulk_claim',
    body: { project_id: ':id', item_ids: [':item'] },
  },
  search: { least: 'anyone', query: 'q=x' },
  listExpiredItems: { least: 'reviewer' },
  listSimilar: { least: 'reviewer' },
  readQueueItem: { least: 'reviewer' },
  readHistory: { least: 'reviewer' },
  claimItem: { least: 'reviewer' },
  renewClaim: { least: 'reviewer', body: { fence: 1 } },
  releaseClaim: { least: 'reviewer', body: { fence: 1 } },
  decideItem: { least: 'reviewer', body: { fence: 99, action: 'approve' } },
  undoDecision: { least: 'reviewer' },
  takeOver: { least: 'supervisor', behind: 'take_over' },
  listMistakes: { least: 'anyone' },
  readMistake: { least: 'reviewer' },
  reportMistake: { least: 'reviewer' },
  answerMistake: { least: 'supervisor', behind: 'answer_mistakes', body: { overturned: true } },
  readOwnFigures: { least: 'anyone' },
  reopenItem: { least: 'supervisor', behind: 'reopen' },
  extendDeadline: { least: 'supervisor', behind: 'extend_deadline', body: { seconds: 600 } },
  reviseItem: { least: 'supervisor', behind: 'revise', body: { action: 'reject', reason: 'Policy changed' } },
  listLearnings: { least: 'supervisor', behind: 'see_learnings' },
  listClusters: { least: 'supervisor', behind: 'see_learnings' },
  changeCluster: { least: 'supervisor', behind: 'see_learnings', body: { action: 'rename', name: 'A' } },
  changeLearning: { least: 'supervisor', behind: 'see_learnings', body: { excluded: true } },
  readClusterGuideline: { least: 'supervisor', behind: 'see_learnings' },
  listReasonCounts: { least: 'supervisor', behind: 'see_learnings' },
  listLearningValues: { least: 'supervisor', behind: 'see_learnings' },
  readCluster: { least: 'supervisor', behind: 'see_learnings' },
  listReasonVariants: { least: 'supervisor', behind: 'see_learnings' },
  beginRegression: { least: 'supervisor', behind: 'see_learnings', body: { title: 'A' } },
  listRegressions: { least: 'supervisor', behind: 'see_learnings' },
  listRegressionCases: { least: 'supervisor', behind: 'see_learnings' },
  readMedia: { least: 'reviewer', query: `url=${PICTURE_URL}` },
  exportLearnings: { least: 'supervisor', behind: 'see_learnings' },
  previewExport: { least: 'supervisor', behind: 'see_learnings' },
  listExports: { least: 'supervisor', behind: 'see_learnings' },
  readAudits: { least: 'supervisor', behind: 'see_analytics' },
  readThresholds: { least: 'supervisor', behind: 'see_analytics' },
  readCalibration: { least: 'supervisor', behind: 'see_analytics' },
  readAnalytics: { least: 'supervisor', behind: 'see_analytics' },
  listDeliveries: { least: 'supervisor', behind: 'see_deliveries' },
  summarizeDeliveries: { least: 'supervisor', behind: 'see_deliveries' },
  readDelivery: { least: 'supervisor', behind: 'see_deliveries' },
  replayDelivery: { least: 'supervisor', behind: 'see_deliveries' },
  sendDeliveryNow: { least: 'supervisor', behind: 'see_deliveries' },
  replayDeliveries: { least: 'supervisor', behind: 'see_deliveries', body: { status: 'dead' } },
  listReplays: { least: 'supervisor', behind: 'see_deliveries' },
  cancelReplay: { least: 'supervisor', behind: 'see_deliveries' },
  listAlerts: { least: 'anyone' },
  listProjectAlerts: { least: 'owner', behind: 'manage_webhook' },
  seeAlert: { least: 'owner', behind: 'manage_webhook', body: { alert_id: ':alert' } },
  submitItem: { least: 'key', body: { project_id: ':id', input: 'q', suggestion: 'a', confidence: 0.8 } },
  submitBatch: { least: 'key', body: { items: [{}] } },
  readItem: { least: 'key' },
  startRegression: { least: 'key', body: { title: 'A' } },
  readRegression: { least: 'key' },
  listCases: { least: 'key' },
  answerCases: { least: 'key', body: { items: [{}] } },
  receiveInbound: { least: 'signature', body: { input: 'q', suggestion: 'a', confidence: 0.8 } },
  listInboundSources: { least: 'owner', behind: 'manage_keys' },
  createInboundSource: { least: 'owner', behind: 'manage_keys' },
  removeInboundSource: { least: 'owner', behind: 'manage_keys' },
  listItems: { least: 'key' },
  withdrawItem: { least: 'key' },
  callMcp: { least: 'bearer', body: { jsonrpc: '2.0', id: 1, method: 'ping' } },
  listEvents: { least: 'key' },
};

const BY_NAME = new Map(ENDPOINTS);

export function endpointOf(name: string): Endpoint {
  const endpoint = BY_NAME.get(name);
  if (endpoint === undefined) throw new Error(`The contract has no ${name}.`);
  return endpoint;
}

/** The names of the routes whose least privileged caller is one of these. */
export const named = (wanted: (least: AccessRule['least']) => boolean): string[] =>
  Object.entries(ACCESS_RULES).flatMap(([name, { least }]) => (wanted(least) ? [name] : []));

export const FOR_PEOPLE = named((least) => !['nobody', 'key', 'bearer', 'signature'].includes(least));
/** What a browser may send that changes something. */
export const CHANGES = Object.keys(ACCESS_RULES).filter(
  (name) => endpointOf(name).method !== 'GET' && !['api_key', 'bearer', 'signature'].includes(endpointOf(name).auth),
);
