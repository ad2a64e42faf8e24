// Everything that the service has open, created in one order and closed in reverse. Tests create their own.
import path from 'node:path';
import { Availabilities } from './api/availability.ts';
import { FleetSeries } from './api/fleet-series.ts';
import { openEventFeed, type EventFeed } from './api/event-feed.ts';
import { openAlerts, type AlertTimes, type Alerts } from './alerts/alerts.ts';
import { openAudit, type Audit } from './store/audit.ts';
import { openAuditWitness } from './audit-witness.ts';
import { openBulkRunner, type BulkRunner } from './actions/bulk-runner.ts';
import { openAccountRemoval } from './account-removal.ts';
import { openUploadRemoval } from './upload-removal.ts';
import { openDeviceActions, type DeviceActions } from './actions/device-actions.ts';
import { openBackupSchedule, type BackupSchedule } from './backup/schedule.ts';
import { openClock, type Clock, type TimeSource } from './clock.ts';
import type { Config } from './config.ts';
import { openAgentUpdates, type AgentUpdates } from './jobs/agent-updates.ts';
import { openDispatch, type Dispatch } from './jobs/dispatch.ts';
import { openJudge } from './jobs/judge.ts';
import { openMarksReader, type MarksReader } from './jobs/marks-reader.ts';
import { openDownloads, type Downloads } from './jobs/downloads.ts';
import { joinCluster } from './cluster/join-cluster.ts';
import type { Cluster, ClusterOptions } from './cluster/cluster.ts';
import { leaderTasks } from './leader-tasks.ts';
import { openLeaderWork } from './leader-work.ts';
import type { LeaderTask, LeaderWork } from './leader-work.ts';
import { forwardTo, openAgentRequests, type HandleAgentRequest } from './agents/agent-requests.ts';
import { openKeyRotation } from './agents/key-rotation.ts';
import { openHttpLink } from './agents/http-link.ts';
import { openLink, type Link } from './agents/link.ts';
import { openStore } from './open-store.ts';
import { openOutputRetention, type OutputRetention } from './output-retention.ts';
import { openPublishedAgent, type PublishedAgent } from './agents/published-agent.ts';
import { openPublishedRuntimes, type PublishedRuntimes } from './agents/published-runtimes.ts';
import { openAgentSigner, type AgentSigner } from './agents/signed-agent.ts';
import type { ArtifactFiles } from './store/artifact-files.ts';
import { openArtifactFolder, type ArtifactFolderOptions } from './store/artifact-folder.ts';
import { allArtifacts, wasArtifactDeleted } from './store/artifacts.ts';
import type { S3ArtifactsOptions } from './store/s3-artifacts.ts';
import type { Database, Tx } from './store/database.ts';
import { recordStopped } from './store/last-run.ts';
import { noteAlive } from './store/state-history.ts';
import { openDeviceOrder, type DeviceOrder } from './store/device-order.ts';
import type { DiskSpace } from './store/disk-space.ts';
import { moveOpenTimes } from './store/open-times.ts';
import { newId } from './store/ids.ts';
import { reportFault } from './store/system-fault.ts';
import { openTraffic, stopping, type Traffic } from './http/traffic.ts';
import { openNodeProofs } from './cluster/node-proof.ts';
import { openNodeRequests } from './cluster/node-requests.ts';
import { loginProof, openRemoteTunnels, type RemoteTunnels } from './tunnels/remote-tunnels.ts';
import { setUp, type Startup } from './set-up.ts';
import { openTunnels, type Tunnels } from './tunnels/tunnels.ts';
import { tunnelAddress } from './tunnels/address.ts';

export interface Context {
  config: Config;
  /** Public origin of the service; never taken from a request. Known after listening. */
  publicUrl: string;
  /** Where other nodes reach this one. Known after listening. */
  nodeUrl: string;
  clock: Clock;
  /** The clock's `now`: milliseconds since the epoch. */
  now: () => number;
  /** Id of this installation; the same at every start. */
  instanceId: string;
  startup: Startup;
  db: Database;
  order: DeviceOrder;
  audit: Audit;
  disk: DiskSpace;
  retention: OutputRetention;
  /** For rules that are tried; apart from judging, which must not wait for a half-written pattern. */
  trials: MarksReader;
  files: ArtifactFiles;
  downloads: Downloads;
  dispatch: Dispatch;
  actions: DeviceActions;
  bulk: BulkRunner;
  alerts: Alerts;
  events: EventFeed;
  availabilities: Availabilities;
  series: FleetSeries;
  /** The agent program for devices. */
  published: PublishedAgent;
  publishedSh: PublishedAgent;
  /** Node.js for devices that have none. */
  runtimes: PublishedRuntimes;
  signer: AgentSigner;
  agentUpdates: AgentUpdates;
  cluster: Cluster;
  link: Link;
  /** For the requests of agents that speak HTTP. */
  agentRequests: HandleAgentRequest;
  tunnels: Tunnels;
  /** Of other nodes; undefined if there can be none. */
  remoteTunnels: RemoteTunnels | undefined;
  traffic: Traffic;
  /** Undefined if no schedule is set. */
  backups: BackupSchedule | undefined;
  /** Port of HTTP tunnels; known after listening. */
  tunnelPort: number;
  close(): Promise<void>;
}

const AGENT_FILE = path.join(import.meta.dirname, '../dist/agent/agent.mjs');
const RUNTIMES_FOLDER = path.join(import.meta.dirname, '../runtimes');

/** Settings for tests. */
export interface ContextOptions {
  time?: TimeSource;
  /** The built agent program. */
  agentFile?: string;
  /** Where Node.js for devices is. */
  runtimesFolder?: string;
  storeTimes?: S3ArtifactsOptions['times'];
  clusterTimes?: ClusterOptions['times'];
  alertTimes?: AlertTimes;
  /** Milliseconds between two looks at rollouts and standing orders. */
  rolloutsEveryMs?: number;
  /** Nobody misses the data after a power failure. */
  disposable?: boolean;
  /** Runs the background tasks instead of timers, for a `time` that goes in steps: the demo lives a month in seconds. */
  openWork?: (tasks: readonly LeaderTask[]) => LeaderWork;
}

type FileOptions = Omit<S3ArtifactsOptions, 'store'> & Pick<ArtifactFolderOptions, 'isAlone'>;

async function openArtifactFiles({ artifactStore: store }: Config, options: FileOptions): Promise<ArtifactFiles> {
  if (!store) return openArtifactFolder(options);
  // Only a service that uses such a store loads its code.
  const { openS3Artifacts } = await import('./store/s3-artifacts.ts');
  return openS3Artifacts({ ...options, store });
}

/** Opens the store and everything that depends on it. Nothing listens yet. */
export async function openContext(
  config: Config,
  {
    time,
    agentFile = AGENT_FILE,
    runtimesFolder = RUNTIMES_FOLDER,
    storeTimes,
    clusterTimes,
    alertTimes,
    rolloutsEveryMs = 1_000,
    disposable = false,
    openWork,
  }: ContextOptions = {},
): Promise<Context> {
  const store = await openStore(config, { disposable });
  const { db, disk, shared } = store;
  let link: Link | undefined;
  let cluster: Cluster | undefined;
  let events: EventFeed | undefined;
  try {
    const readOnly = disk.isReadOnly();
    const node = newId();
    const joined = (cluster = await joinCluster(config, store, {
      id: node,
      connected: () => link?.all() ?? [],
      sendAway: (withinMs, reason) => link?.sendAway(withinMs, reason),
      endStreams: () => events?.endAll(),
      times: clusterTimes,
      wall: time && (() => time.wall()),
    }));
    const clock = await openClock({
      db,
      time,
      moveTimes: moveOpenTimes,
      report: reportFault,
      isKeeper: () => joined.isLeader(),
    });
    const { now } = clock;
    const traffic = openTraffic();
    const { id, startup, downloadKey, updateKey, builds } = await db.write(
      (tx) =>
        setUp(tx, {
          config,
          now: now(),
          readOnly,
          isShared: shared !== undefined,
          isAlone: joined.isAlone,
          logBytes: store.logBytes,
        }),
      { essential: true },
    );
    const audit = openAudit(now);
    const downloads = openDownloads(downloadKey, clock.unset);
    const files = await openArtifactFiles(config, {
      dataDir: config.dataDir,
      instanceId: id,
      records: { all: () => allArtifacts(db), wasDeleted: (artifactId) => wasArtifactDeleted(db, artifactId) },
      readOnly,
      isAlone: joined.isAlone,
      times: storeTimes,
    }).catch(async (cause: unknown) => {
      // This start served nothing: the next one must not report a crash of it.
      if (!readOnly && !shared && !startup.recovered)
        await db.write(recordStopped, { essential: true }).catch(() => {});
      throw cause;
    });
    const refusal = () => (traffic.isDraining ? stopping() : disk.refusal());
    const opened = (link = openLink({ db, node, now, refusal }));
    const published = openPublishedAgent(agentFile);
    const publishedSh = openPublishedAgent(path.join(path.dirname(agentFile), 'agent.sh'));
    const runtimes = openPublishedRuntimes(runtimesFolder);
    const signer = openAgentSigner({ db, key: updateKey, builds, published, runtimes, now });
    const agentUpdates = openAgentUpdates({ db, link, audit, now, published, signer });
    const keyRotation = openKeyRotation({ db, audit, now });
    link.listenForKeys((connection, message) => void keyRotation.answered(connection, message));
    const dispatch = openDispatch({
      db,
      link,
      cluster,
      audit,
      clock,
      files,
      agentUpdates,
      keyRotation,
      publicUrl: () => context.publicUrl,
      artifactCommand: (artifact, where) => downloads.commandFor(artifact, where),
    });
    const order = openDeviceOrder(db);
    const actions = openDeviceActions({
      audit,
      order,
      dispatch,
      now,
      rotateKey: (tx, caller, device) => keyRotation.ask(tx, caller, device),
    });
    const secret = shared ? config.clusterSecret : undefined;
    const proofs = secret === undefined ? undefined : openNodeProofs(secret);
    const nodes = proofs && openNodeRequests({ node, proofs, urlOf: (holder) => joined.urlOf(holder) });
    const httpLink = openHttpLink({
      db,
      node,
      link,
      keyRotation,
      refusal,
      publicUrl: () => context.publicUrl,
      forward: nodes && forwardTo(nodes),
      steady: clock.steady,
    });
    const tunnels = openTunnels({
      db,
      link,
      cluster,
      audit,
      clock,
      host: config.host,
      tcpPorts: config.tunnelTcpPorts,
      addressOf: (tunnel) => tunnelAddress(context, { ...tunnel, nodeUrl: context.nodeUrl }),
      isShared: shared !== undefined,
      proofs,
      ...(secret !== undefined && { loginProof: (loginHash: string) => loginProof(secret, loginHash) }),
    });
    const retention = await openOutputRetention({
      db,
      clock,
      readOnly,
      limitBytes: config.outputQuota,
      days: config.outputDays,
    });
    const { historyDays } = config;
    const alerts = openAlerts({ db, now, disk, ...config.alerts, historyDays, times: alertTimes });
    const judge = openJudge(db);
    const trials = openMarksReader({ budgetMs: 500 });
    const tasks = leaderTasks({
      db,
      now,
      audit,
      disk,
      historyDays,
      retention,
      judge,
      alerts,
      dispatch,
      keyRotation,
      rolloutsEveryMs,
      steady: openWork && clock.steady,
      removeUploads: openUploadRemoval({ db, files, now }),
      removeAccounts: openAccountRemoval({ db, audit, actions, dispatch, files }),
    });
    const work = openWork ? openWork(tasks) : openLeaderWork(() => !readOnly && joined.isLeader(), tasks);
    // Each node notes it for itself: the more places, the more an attacker must reach.
    const ownWork = openLeaderWork(
      () => !readOnly,
      [
        {
          what: 'note the last hash of the audit log in DATA_DIR',
          everyMs: 60_000,
          run: openAuditWitness(db, config.dataDir),
        },
      ],
    );
    const context: Context = {
      config,
      publicUrl: config.publicUrl ?? '',
      clock,
      now,
      instanceId: id,
      startup,
      db,
      order,
      audit,
      disk,
      files,
      downloads,
      dispatch,
      actions,
      alerts,
      bulk: openBulkRunner({ db, audit, now, actions, dispatch, readOnly, isLeader: () => joined.isLeader() }),
      events: (events = openEventFeed({ db, now, steady: clock.steady })),
      availabilities: new Availabilities(db, now),
      series: new FleetSeries(db, now),
      published,
      publishedSh,
      runtimes,
      signer,
      agentUpdates,
      cluster,
      link,
      agentRequests: openAgentRequests({
        httpLink,
        nodes,
        traffic,
        isTls: () => context.publicUrl.startsWith('https:'),
      }),
      tunnels,
      remoteTunnels:
        secret === undefined || proofs === undefined
          ? undefined
          : openRemoteTunnels({
              db,
              node,
              secret,
              proofs,
              local: (name) => tunnels.find(name),
            }),
      nodeUrl: config.nodeUrl ?? '',
      traffic,
      retention,
      trials,
      backups: openBackupSchedule({ config, clock, isLeader: () => joined.isLeader() }),
      tunnelPort: config.tunnelPort,
      close: async () => {
        context.backups?.close();
        judge.stop();
        await work.close();
        await ownWork.close();
        await judge.close();
        await trials.close();
        await alerts.close();
        await context.events.close();
        await context.availabilities.close();
        await context.series.close();
        await context.bulk.close();
        await tunnels.close();
        context.remoteTunnels?.close();
        httpLink.close();
        await opened.close();
        await files.close();
        await clock.close();
        await joined.close();
        // If the stop cannot be recorded (a full disk), the next start reports a crash.
        const stop = async (tx: Tx) => {
          await noteAlive(tx, now());
          await recordStopped(tx);
        };
        if (!readOnly && !shared) await db.write(stop, { essential: true }).catch(() => {});
        await store.release();
      },
    };
    context.availabilities.keepReady((accountId) => context.series.prepare(accountId));
    return context;
  } catch (cause) {
    await cluster?.close();
    await store.release();
    throw cause;
  }
}
