package main

import "golang.org/x/sys/unix"

// networkKind names the network file system that holds a folder, or "".
func networkKind(dir string) string {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return ""
	}
	return map[uint32]string{
		unix.NFS_SUPER_MAGIC: "NFS", unix.SMB_SUPER_MAGIC: "SMB", unix.CIFS_SUPER_MAGIC: "CIFS",
		unix.SMB2_SUPER_MAGIC: "SMB", unix.V9FS_MAGIC: "9p", unix.FUSE_SUPER_MAGIC: "FUSE",
	}[uint32(st.Type)]
}
