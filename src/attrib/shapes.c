// SPDX-License-Identifier: GPL-2.0
/*
 * The table that cgpath.c walks a path by. Names of cgroups are made by each runtime's own
 * code; where it is in doubt (a hex id below an unknown parent) the row says no more than is
 * certain. More special shapes stand before more general ones.
 */
#include "attrib/shapes.h"

#define CONTAINER SHAPE_CONTAINER
#define HELPER	  (SHAPE_CONTAINER | SHAPE_HELPER)
#define NAMED	  (SHAPE_CONTAINER | SHAPE_NAMED)
#define IN_POD	  (SHAPE_CONTAINER | SHAPE_IN_POD)
#define UNIT	  SHAPE_UNIT
#define WEAK	  (SHAPE_UNIT | SHAPE_WEAK)
#define POD_SLICE "[%*-]kubepods-[burstable-][besteffort-]pod%U.slice"

/* clang-format off */
static const struct shape shapes[] = {
	/* Kubernetes: the QoS classes, a pod, its containers by the engine that names them;
	 * then systemd's three-part names taken for a path, when only one side uses systemd */
	{"kubepods[/burstable][/besteffort]/pod%U/%I", "k8s", "k8s:%p/%i", ENGINE_ANY, CONTAINER},
	{"kubepods[/burstable][/besteffort]/pod%U", "k8s-pod", "k8s:%p", ENGINE_KUBELET, 0},
	{"kubepods/burstable", "k8s-qos", "k8s:burstable", ENGINE_NONE, 0},
	{"kubepods/besteffort", "k8s-qos", "k8s:besteffort", ENGINE_NONE, 0},
	{"kubepods", "k8s-qos", "k8s", ENGINE_NONE, 0},
	{POD_SLICE ":cri-containerd:%I", "k8s-containerd", "k8s:%p/%i", ENGINE_CONTAINERD, CONTAINER},
	{POD_SLICE ":crio:%I", "k8s-crio", "k8s:%p/%i", ENGINE_CRIO, CONTAINER},
	{POD_SLICE ":docker:%I", "k8s-docker", "k8s:%p/%i", ENGINE_DOCKER, CONTAINER},
	{POD_SLICE ":runsc:%I", "k8s-gvisor", "k8s:%p/%i", ENGINE_CONTAINERD, CONTAINER},
	{POD_SLICE, "k8s-pod", "k8s:%p", ENGINE_KUBELET, 0},
	{"[%*-]kubepods-burstable.slice", "k8s-qos", "k8s:burstable", ENGINE_NONE, 0},
	{"[%*-]kubepods-besteffort.slice", "k8s-qos", "k8s:besteffort", ENGINE_NONE, 0},
	{"[%*-]kubepods.slice", "k8s-qos", "k8s", ENGINE_NONE, 0},
	{"cri-containerd-%I[.scope]", "k8s-containerd", "k8s:%p/%i", ENGINE_CONTAINERD, IN_POD},
	{"crio-%I[.scope]", "k8s-crio", "k8s:%p/%i", ENGINE_CRIO, IN_POD},
	{"docker-%I[.scope]", "k8s-docker", "k8s:%p/%i", ENGINE_DOCKER, IN_POD},
	{"crio-conmon-%I[.scope]", "crio-conmon", "crio-conmon:%i", ENGINE_CRIO, HELPER},
	{"kata_%I", "kata", "kata:%i", ENGINE_ANY, CONTAINER},
	{"kata_overhead/%I", "kata-overhead", "kata-overhead:%i", ENGINE_ANY, HELPER},
	{"%I", "k8s", "k8s:%p/%i", ENGINE_ANY, IN_POD},

	/* engines on their own, and what places containers with them */
	{"ecstasks.slice/ecstasks-%E.slice/docker-%I.scope", "ecs", "ecs:%j/%i", ENGINE_DOCKER, CONTAINER},
	{"ecs/%E/%I", "ecs", "ecs:%j/%i", ENGINE_DOCKER, CONTAINER},
	{"ecs/%E/%F", "ecs", "ecs:%j/%i", ENGINE_DOCKER, CONTAINER},
	{"docker/buildkit/%B", "buildkit", "buildkit:%i", ENGINE_NONE, CONTAINER},
	{"docker/%I", "docker", "docker:%i", ENGINE_DOCKER, CONTAINER},
	{"docker-%I.scope", "docker", "docker:%i", ENGINE_DOCKER, CONTAINER},
	{"%*:docker:%I", "docker", "docker:%i", ENGINE_DOCKER, CONTAINER},
	{"nerdctl-%I.scope", "nerdctl", "nerdctl:%i", ENGINE_CONTAINERD, CONTAINER},
	{"%*:nerdctl:%I", "nerdctl", "nerdctl:%i", ENGINE_CONTAINERD, CONTAINER},
	{"cri-containerd-%I[.scope]", "containerd", "containerd:%i", ENGINE_CONTAINERD, CONTAINER},
	{"%*:cri-containerd:%I", "containerd", "containerd:%i", ENGINE_CONTAINERD, CONTAINER},
	{"default/%I", "containerd", "containerd:default/%i", ENGINE_CONTAINERD, CONTAINER},
	{"k8s.io/%I", "containerd", "containerd:k8s.io/%i", ENGINE_CONTAINERD, CONTAINER},
	{"crio-%I[.scope]", "crio", "crio:%i", ENGINE_CRIO, CONTAINER},
	{"%*:crio:%I", "crio", "crio:%i", ENGINE_CRIO, CONTAINER},
	{"%*-libpod_pod_%I.slice", "podman-pod", "podman-pod:%i", ENGINE_NONE, 0},
	{"libpod-conmon-%I.scope", "podman-conmon", "podman-conmon:%i", ENGINE_PODMAN, HELPER},
	{"libpod_parent/conmon", "podman-conmon", "podman-conmon", ENGINE_NONE, SHAPE_HELPER},
	{"libpod-payload-%I", "podman", "podman:%i", ENGINE_PODMAN, CONTAINER},
	{"libpod-%I[.scope]", "podman", "podman:%i", ENGINE_PODMAN, CONTAINER},
	{"%*:libpod:%I", "podman", "podman:%i", ENGINE_PODMAN, CONTAINER},
	{"nomad.slice/%*.slice/%A.%T.scope", "nomad", "nomad:%j/%t", ENGINE_NOMAD, 0},
	{"nomad/%A.%T", "nomad", "nomad:%j/%t", ENGINE_NOMAD, 0},
	{"garden[/good][/bad]/%G", "garden", "garden:%n", ENGINE_NONE, CONTAINER},
	{"apptainer/%D", "apptainer", "apptainer:%n", ENGINE_NONE, CONTAINER},
	{"apptainer-%D.scope", "apptainer", "apptainer:%n", ENGINE_NONE, CONTAINER},
	{"ray_node_%H/%T[/%*]", "ray", "ray:%j/%t", ENGINE_NONE, 0},
	{"ray_node_%H", "ray", "ray:%j", ENGINE_NONE, 0},

	/* system containers and machines, which have names */
	{"lxc.payload/%N", "lxc", "lxc:%n", ENGINE_PROXMOX, NAMED},
	{"lxc.payload.%N", "lxc", "lxc:%n", ENGINE_PROXMOX, NAMED},
	{"lxc.monitor/%N", "lxc-monitor", "lxc-monitor:%n", ENGINE_PROXMOX, NAMED | SHAPE_HELPER},
	{"lxc.monitor.%N", "lxc-monitor", "lxc-monitor:%n", ENGINE_PROXMOX, NAMED | SHAPE_HELPER},
	{"lxc/%N", "lxc", "lxc:%n", ENGINE_PROXMOX, NAMED},
	{"systemd-nspawn@%N.service", "nspawn", "nspawn:%n", ENGINE_NONE, NAMED},
	{"machine-(qemu-%d-%*).scope", "libvirt-qemu", "machine:%n", ENGINE_NONE, NAMED},
	{"machine-(lxc-%d-%*).scope", "libvirt-lxc", "machine:%n", ENGINE_NONE, NAMED},
	{"machine-%N.scope", "machined", "machine:%n", ENGINE_NONE, NAMED},
	{"qemu.slice/%D.scope", "proxmox-qemu", "vm:%n", ENGINE_PROXMOX, CONTAINER},

	/* jobs */
	{"slurm[_%*]/uid_%d/job_%J/step_%S", "slurm", "slurm:%J.%s", ENGINE_SLURM, 0},
	{"slurm[_%*]/uid_%d/job_%J", "slurm", "slurm:%J", ENGINE_SLURM, 0},
	{"[%*_]slurmstepd.scope/job_%J/step_%S/slurm", "slurm-stepd", "slurm:%J.%s", ENGINE_SLURM, SHAPE_HELPER},
	{"[%*_]slurmstepd.scope/%L/step_%S/slurm", "slurm-stepd", "slurm:%J.%s", ENGINE_SLURM, SHAPE_HELPER},
	{"[%*_]slurmstepd.scope/job_%J/step_%S", "slurm", "slurm:%J.%s", ENGINE_SLURM, 0},
	{"[%*_]slurmstepd.scope/%L/step_%S", "slurm", "slurm:%J.%s", ENGINE_SLURM, 0},
	{"[%*_]slurmstepd.scope/job_%J", "slurm", "slurm:%J", ENGINE_SLURM, 0},
	{"[%*_]slurmstepd.scope/%L", "slurm", "slurm:%J", ENGINE_SLURM, 0},
	{"[%*_]slurmstepd.scope/system", "slurm-stepd", "svc:slurmstepd", ENGINE_NONE, SHAPE_HELPER},
	{"condor_%*_slot%T@%*", "htcondor", "condor:slot%t", ENGINE_NONE, 0},

	/* a hex id below anything else: some engine's container, its files may tell whose */
	{"%I", "ctr", "ctr:%i", ENGINE_ANY, CONTAINER},

	/* the host's own: systemd's units, a user's, and systems that have no systemd */
	{"init.scope", "host", "host:init", ENGINE_NONE, UNIT | SHAPE_ROOT | SHAPE_LAST},
	{"user.slice/user-%u.slice", "user", "user:%u", ENGINE_NONE, UNIT},
	{"user@%d.service", "user", "user:%u", ENGINE_NONE, UNIT | SHAPE_IN_USER},
	{"%T.service", "user", "user:%u/%t", ENGINE_NONE, UNIT | SHAPE_IN_USER},
	{"%T.scope", "user", "user:%u/%t", ENGINE_NONE, UNIT | SHAPE_IN_USER},
	{"%T.service", "systemd", "svc:%t", ENGINE_NONE, UNIT},
	{"%T.scope", "systemd", "scope:%t", ENGINE_NONE, UNIT},
	{"%T.slice", "systemd", "slice:%t", ENGINE_NONE, WEAK},
	{"podruntime/%T", "talos", "talos:%t", ENGINE_NONE, UNIT | SHAPE_ROOT},
	{"system/%T", "talos", "talos:%t", ENGINE_NONE, UNIT | SHAPE_ROOT},
	{"init", "talos", "talos:init", ENGINE_NONE, UNIT | SHAPE_ROOT | SHAPE_LAST},
	{"wsl-user/%T", "wsl", "wsl:%t", ENGINE_NONE, WEAK | SHAPE_ROOT},
	{"%T/%N", "containerd", "containerd:%t/%n", ENGINE_CONTAINERD, NAMED | SHAPE_GUESS | SHAPE_ROOT | SHAPE_LAST},
};
/* clang-format on */

const struct shape *shape_at(size_t i)
{
	return i < sizeof(shapes) / sizeof(shapes[0]) ? &shapes[i] : NULL;
}
