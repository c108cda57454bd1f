// Analytics: the report, a person, audits, thresholds and calibration.
import { readAnalytics as readAnalyticsEndpoint } from '@countersign/shared/routes/analytics';
import { readAudits as readAuditsEndpoint } from '@countersign/shared/routes/audits';
import { readPerson as readPersonEndpoint } from '@countersign/shared/routes/team';
import * as thresholds from '@countersign/shared/routes/thresholds';
import { readAnalytics } from '../../usecases/analytics/read-analytics.ts';
import { readAudits } from '../../usecases/analytics/read-audits.ts';
import { readCalibration } from '../../usecases/analytics/read-calibration.ts';
import { readPerson } from '../../usecases/analytics/read-person.ts';
import { readThresholds } from '../../usecases/analytics/read-thresholds.ts';
import type { Services } from '../../usecases/services.ts';
import { windowOf } from '../request/window-of.ts';
import type { Binder } from '../route.ts';

export function bindAnalytics(bind: Binder, services: Services): void {
  bind.member(readAnalyticsEndpoint, ({ actor, params, query }) =>
    readAnalytics(services, actor, { projectId: params.id, ...windowOf(query), bucket: query.bucket }),
  );
  bind.member(readPersonEndpoint, ({ actor, params, query }) =>
    readPerson(services, actor, { projectId: params.id, userId: params.user_id, ...windowOf(query) }),
  );
  bind.member(readAuditsEndpoint, ({ actor, params, query }) =>
    readAudits(services, actor, { projectId: params.id, ...windowOf(query) }),
  );
  bind.member(thresholds.readThresholds, ({ actor, params, query }) =>
    readThresholds(services, actor, { projectId: params.id, ...windowOf(query) }),
  );
  bind.member(thresholds.readCalibration, ({ actor, params, query }) =>
    readCalibration(services, actor, { projectId: params.id, ...windowOf(query) }),
  );
}
