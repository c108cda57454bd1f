// The operations of the OpenAPI document, each with its tag, its examples and its response headers.
import type { Endpoint } from '@countersign/shared/contract/endpoint';
import { endpointOf } from '@countersign/shared/contract/endpoints';
import { receiveInbound } from '@countersign/shared/routes/inbound';
import { readOpenApi } from '@countersign/shared/routes/openapi';
import { answerCases, listCases, readRegression, startRegression } from '@countersign/shared/routes/regressions';
import {
  callMcp,
  listEvents,
  listItems,
  readItem,
  submitBatch,
  submitItem,
  withdrawItem,
} from '@countersign/shared/routes/public';
import type { ZodOpenApiHeadersObject } from 'zod-openapi';
import * as story from './examples.ts';
import * as agent from './examples-mcp.ts';
import * as rerun from './examples-regression.ts';
import { HEADER } from './headers.ts';

export const TAGS = {
  Items: 'Submit items and read them.',
  Events: 'What ended items, in order, for consumers that were down.',
  Regressions:
    'Re-run items that reviewers edited, rejected or answered in words against a new version of a pipeline, as a dry run, and see what would still fail.',
  Inbound: 'Submissions by a signed webhook instead of an API key.',
  Agents: 'The same for agents, by the Model Context Protocol.',
  Webhooks: 'What this service sends to the webhook endpoints of a project.',
  Description: 'This document.',
} as const;
export type Tag = keyof typeof TAGS;

/** Examples by name; tools show the key when there is no summary. */
export type Examples = Record<string, { summary: string; value: unknown }>;

export interface SuccessAnswer {
  description: string;
  examples: Examples;
  /** Headers in addition to those of every response. */
  headers?: ZodOpenApiHeadersObject;
}

export interface Operation {
  endpoint: Endpoint;
  tag: Tag;
  /** Examples of the request body. */
  requests?: Examples;
  /** The response with the endpoint's own status. */
  answer: SuccessAnswer;
  /** Other responses by status, with the same shape; without examples they have no body. */
  otherAnswers?: Record<number, SuccessAnswer>;
}

const SUBMISSIONS: Examples = {
  plain: { summary: 'A text for review', value: story.queuedSubmission },
  flagged: { summary: 'A structured suggestion with a risk flag', value: story.flaggedSubmission },
  urgent: { summary: 'A text that must be decided within fifteen minutes', value: story.urgentSubmission },
  tool_call: { summary: 'A tool call, with a schema for its arguments', value: story.toolCallSubmission },
};

const SUBMITTED: Examples = {
  queued: { summary: 'A reviewer will decide', value: story.queued },
  escalated: { summary: 'A supervisor will decide', value: story.escalated },
  auto_approved: { summary: 'Auto-approved: the decision is included', value: story.autoApproved },
};

/** By operation id. */
export const OPERATIONS: Record<string, Operation> = {
  submitItem: {
    endpoint: endpointOf(submitItem),
    tag: 'Items',
    requests: SUBMISSIONS,
    answer: {
      description: 'The item is stored; its routing is in the response.',
      examples: {
        ...SUBMITTED,
        approved: { summary: 'Decided during the wait', value: story.approved },
        expired: { summary: 'Its deadline passed during the wait', value: story.expired },
      },
      headers: { ...HEADER.replayed, ...HEADER.waited, ...HEADER.expectedWait },
    },
  },
  submitBatch: {
    endpoint: endpointOf(submitBatch),
    tag: 'Items',
    requests: { three: { summary: 'Three items, one of them for another project', value: story.batch } },
    answer: {
      description: 'One result per item, in the order of the request.',
      examples: { three: { summary: 'Two are stored, one is refused', value: { results: story.batchResults } } },
      headers: { ...HEADER.replayed, ...HEADER.expectedWait },
    },
  },
  readItem: {
    endpoint: endpointOf(readItem),
    tag: 'Items',
    answer: {
      description: 'The current state of the item.',
      examples: {
        decided: { summary: 'Edited and approved', value: story.decidedItem },
        waiting: { summary: 'Escalated, undecided', value: story.escalatedItem },
        expired: { summary: 'Nobody decided before its deadline', value: story.expiredItem },
        responded: { summary: 'A tool call, answered in words', value: story.respondedItem },
      },
    },
  },
  listItems: {
    endpoint: endpointOf(listItems),
    tag: 'Items',
    answer: {
      description: 'One page, newest first.',
      examples: {
        last: {
          summary: 'The last page',
          value: { data: [story.escalatedItem, story.decidedItem], has_more: false, next_cursor: null },
        },
      },
    },
  },
  withdrawItem: {
    endpoint: endpointOf(withdrawItem),
    tag: 'Items',
    requests: {
      reason: { summary: 'With a reason', value: { reason: 'The customer cancelled the order.' } },
    },
    answer: {
      description: 'The item is withdrawn.',
      examples: { withdrawn: { summary: 'Withdrawn', value: story.withdrawnItem } },
    },
  },
  listEvents: {
    endpoint: endpointOf(listEvents),
    tag: 'Events',
    answer: {
      description: 'One page of what ended items or revised their decisions, oldest first.',
      examples: {
        one: { summary: 'One decision', value: { data: [story.event], has_more: false, next_cursor: 'MTg0Mg' } },
        expired: {
          summary: 'Nobody decided before the deadline',
          value: { data: [story.expiredEvent], has_more: false, next_cursor: 'MTg0Mw' },
        },
        none: { summary: 'Nothing new', value: { data: [], has_more: false, next_cursor: 'MTg0Mg' } },
      },
    },
  },
  startRegression: {
    endpoint: endpointOf(startRegression),
    tag: 'Regressions',
    requests: {
      cluster: { summary: 'For one cluster of reasons', value: rerun.start },
      all: { summary: 'For all edits', value: { action: 'edit' } },
    },
    answer: {
      description: 'The run is started: its cases can be read and answered.',
      examples: { begun: { summary: 'No answers yet', value: rerun.begun } },
      headers: HEADER.replayed,
    },
  },
  readRegression: {
    endpoint: endpointOf(readRegression),
    tag: 'Regressions',
    answer: {
      description: 'The current state of the run.',
      examples: { ended: { summary: 'All answered', value: rerun.ended } },
    },
  },
  listCases: {
    endpoint: endpointOf(listCases),
    tag: 'Regressions',
    answer: {
      description: 'One page of cases.',
      examples: {
        last: { summary: 'The last page', value: { data: [rerun.aCase], has_more: false, next_cursor: null } },
      },
    },
  },
  answerCases: {
    endpoint: endpointOf(answerCases),
    tag: 'Regressions',
    requests: { two: { summary: 'Two answers, one for an unknown case', value: rerun.answers } },
    answer: {
      description: 'One result per answer, in the order of the request.',
      examples: { two: { summary: 'One is judged, one is refused', value: { results: rerun.results } } },
    },
  },
  callMcp: {
    endpoint: endpointOf(callMcp),
    tag: 'Agents',
    requests: {
      request: { summary: 'Submit a tool call for review', value: agent.requestReview },
      check: { summary: 'Wait for the decision', value: agent.checkReview },
    },
    answer: {
      description: 'The response to the message, which may be an error of the protocol.',
      examples: {
        requested: { summary: 'People will decide', value: agent.requested },
        refused: { summary: 'The tool was refused', value: agent.refused },
      },
      headers: { ...HEADER.replayed, ...HEADER.expectedWait },
    },
    otherAnswers: {
      202: { description: 'A notification: there is no response to it.', examples: {} },
      400: {
        description: 'Not a message of the protocol, or of a version that is not supported.',
        examples: { invalid: { summary: 'Not JSON', value: agent.notJson } },
      },
      404: {
        description: 'There is no such method.',
        examples: { unknown: { summary: 'Nothing to subscribe to', value: agent.unknownMethod } },
      },
      406: {
        description: 'The client accepts no JSON.',
        examples: { refused: { summary: 'The header `accept`', value: agent.notAcceptable } },
      },
    },
  },
  receiveInbound: {
    endpoint: endpointOf(receiveInbound),
    tag: 'Inbound',
    requests: SUBMISSIONS,
    answer: {
      description: 'The item is stored; its routing is in the response.',
      examples: SUBMITTED,
      headers: HEADER.expectedWait,
    },
    otherAnswers: {
      200: {
        description: 'A repeat: nothing was submitted again, and the response has the current state of the item.',
        examples: SUBMITTED,
        headers: { ...HEADER.replayed, ...HEADER.expectedWait },
      },
    },
  },
  readOpenApi: {
    endpoint: endpointOf(readOpenApi),
    tag: 'Description',
    answer: {
      description: 'An OpenAPI 3.1 document.',
      examples: {
        beginning: {
          summary: 'The beginning of the document',
          value: { openapi: '3.1.0', info: { title: 'Countersign', version: '1' }, paths: {} },
        },
      },
    },
  },
};
